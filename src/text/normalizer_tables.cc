#include "text/normalizer_tables.h"

#include <algorithm>
#include <iterator>

#include "text/utf8.h"

namespace sotto::normalizer {
namespace {

template <typename T, size_t N>
const T* Find(const T (&table)[N], std::string_view T::*key, std::string_view value) {
  for (const T& entry : table) {
    if (entry.*key == value) return &entry;
  }
  return nullptr;
}

template <size_t N>
bool Contains(const std::string_view (&words)[N], std::string_view word) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

// Symbols of the SI brochure (9th edition) and of everyday US usage.
constexpr Unit kUnits[] = {
    {"km", "kilometer", "kilometers", true},
    {"m", "meter", "meters", true},
    {"cm", "centimeter", "centimeters", true},
    {"mm", "millimeter", "millimeters", true},
    {"nm", "nanometer", "nanometers", true},
    {"um", "micrometer", "micrometers", true},
    {"\u00b5m", "micrometer", "micrometers", true},
    {"\u03bcm", "micrometer", "micrometers", true},
    {"mi", "mile", "miles", true},
    {"ft", "foot", "feet", true},
    {"in", "inch", "inches", false},
    {"yd", "yard", "yards", true},
    {"kg", "kilogram", "kilograms", true},
    {"g", "gram", "grams", true},
    {"mg", "milligram", "milligrams", true},
    {"\u00b5g", "microgram", "micrograms", true},
    {"lb", "pound", "pounds", true},
    {"lbs", "pounds", "pounds", true},
    {"oz", "ounce", "ounces", true},
    {"l", "liter", "liters", true},
    {"L", "liter", "liters", true},
    {"ml", "milliliter", "milliliters", true},
    {"mL", "milliliter", "milliliters", true},
    {"cl", "centiliter", "centiliters", true},
    {"dl", "deciliter", "deciliters", true},
    {"dL", "deciliter", "deciliters", true},
    {"gal", "gallon", "gallons", true},
    {"tsp", "teaspoon", "teaspoons", true},
    {"tbsp", "tablespoon", "tablespoons", true},
    {"mph", "mile per hour", "miles per hour", true},
    {"kph", "kilometer per hour", "kilometers per hour", true},
    {"kmh", "kilometer per hour", "kilometers per hour", true},
    {"mpg", "mile per gallon", "miles per gallon", true},
    {"s", "second", "seconds", true},
    {"sec", "second", "seconds", true},
    {"secs", "seconds", "seconds", true},
    {"ms", "millisecond", "milliseconds", true},
    {"\u00b5s", "microsecond", "microseconds", true},
    {"\u03bcs", "microsecond", "microseconds", true},
    {"us", "microsecond", "microseconds", false},
    {"ns", "nanosecond", "nanoseconds", true},
    {"min", "minute", "minutes", true},
    {"mins", "minutes", "minutes", true},
    {"h", "hour", "hours", true},
    {"hr", "hour", "hours", true},
    {"hrs", "hours", "hours", true},
    {"yr", "year", "years", true},
    {"yrs", "years", "years", true},
    {"wk", "week", "weeks", true},
    {"wks", "weeks", "weeks", true},
    {"B", "byte", "bytes", false},
    {"KB", "kilobyte", "kilobytes", true},
    {"kB", "kilobyte", "kilobytes", true},
    {"MB", "megabyte", "megabytes", true},
    {"GB", "gigabyte", "gigabytes", true},
    {"TB", "terabyte", "terabytes", true},
    {"PB", "petabyte", "petabytes", true},
    {"KiB", "kibibyte", "kibibytes", true},
    {"MiB", "mebibyte", "mebibytes", true},
    {"GiB", "gibibyte", "gibibytes", true},
    {"TiB", "tebibyte", "tebibytes", true},
    {"Kb", "kilobit", "kilobits", true},
    {"Mb", "megabit", "megabits", true},
    {"Gb", "gigabit", "gigabits", true},
    {"bps", "bit per second", "bits per second", true},
    {"kbps", "kilobit per second", "kilobits per second", true},
    {"Kbps", "kilobit per second", "kilobits per second", true},
    {"Mbps", "megabit per second", "megabits per second", true},
    {"Gbps", "gigabit per second", "gigabits per second", true},
    {"Hz", "hertz", "hertz", true},
    {"kHz", "kilohertz", "kilohertz", true},
    {"MHz", "megahertz", "megahertz", true},
    {"GHz", "gigahertz", "gigahertz", true},
    {"THz", "terahertz", "terahertz", true},
    {"W", "watt", "watts", true},
    {"kW", "kilowatt", "kilowatts", true},
    {"MW", "megawatt", "megawatts", true},
    {"GW", "gigawatt", "gigawatts", true},
    {"kWh", "kilowatt hour", "kilowatt hours", true},
    {"Wh", "watt hour", "watt hours", true},
    {"V", "volt", "volts", true},
    {"kV", "kilovolt", "kilovolts", true},
    {"mV", "millivolt", "millivolts", true},
    {"A", "amp", "amps", false},
    {"mA", "milliamp", "milliamps", true},
    {"mAh", "milliamp hour", "milliamp hours", true},
    {"\u03a9", "ohm", "ohms", true},
    {"k\u03a9", "kilohm", "kilohms", true},
    {"J", "joule", "joules", false},
    {"kJ", "kilojoule", "kilojoules", true},
    {"cal", "calorie", "calories", true},
    {"kcal", "kilocalorie", "kilocalories", true},
    {"N", "newton", "newtons", false},
    {"Pa", "pascal", "pascals", true},
    {"hPa", "hectopascal", "hectopascals", true},
    {"kPa", "kilopascal", "kilopascals", true},
    {"psi", "pound per square inch", "pounds per square inch", true},
    {"dB", "decibel", "decibels", true},
    {"K", "kelvin", "kelvin", false},
    {"\u00b0", "degree", "degrees", true},
    {"\u00b0C", "degree Celsius", "degrees Celsius", true},
    {"\u00b0F", "degree Fahrenheit", "degrees Fahrenheit", true},
    {"\u00b0K", "degree Kelvin", "degrees Kelvin", true},
    {"\u00baC", "degree Celsius", "degrees Celsius", true},
    {"\u00baF", "degree Fahrenheit", "degrees Fahrenheit", true},
    {"\u2103", "degree Celsius", "degrees Celsius", true},
    {"\u2109", "degree Fahrenheit", "degrees Fahrenheit", true},
    {"%", "percent", "percent", true},
    {"\u2030", "per mille", "per mille", true},
    {"px", "pixel", "pixels", true},
    {"MP", "megapixel", "megapixels", true},
    {"fps", "frame per second", "frames per second", true},
    {"rpm", "revolution per minute", "revolutions per minute", true},
    {"RPM", "revolution per minute", "revolutions per minute", true},
    {"bpm", "beat per minute", "beats per minute", true},
    {"dpi", "dot per inch", "dots per inch", true},
    {"ppm", "part per million", "parts per million", true},
    {"ha", "hectare", "hectares", true},
    {"sqft", "square foot", "square feet", true},
    {"ft-lb", "foot pound", "foot pounds", true},
    {"ft-lbs", "foot pounds", "foot pounds", true},
    {"lb-ft", "pound foot", "pound feet", true},
    {"Nm", "newton meter", "newton meters", true},
    {"MWh", "megawatt hour", "megawatt hours", true},
    {"GWh", "gigawatt hour", "gigawatt hours", true},
    {"cc", "c c", "c c", false},
    {"hp", "horsepower", "horsepower", true},
    {"mol", "mole", "moles", true},
    {"lm", "lumen", "lumens", true},
    {"lx", "lux", "lux", true},
    {"ly", "light year", "light years", true},
};

constexpr Currency kCurrencies[] = {
    {"US$", "U S dollar", "U S dollars", "cent", "cents"},
    {"CA$", "Canadian dollar", "Canadian dollars", "cent", "cents"},
    {"C$", "Canadian dollar", "Canadian dollars", "cent", "cents"},
    {"AU$", "Australian dollar", "Australian dollars", "cent", "cents"},
    {"A$", "Australian dollar", "Australian dollars", "cent", "cents"},
    {"NZ$", "New Zealand dollar", "New Zealand dollars", "cent", "cents"},
    {"HK$", "Hong Kong dollar", "Hong Kong dollars", "cent", "cents"},
    {"R$", "real", "reais", "centavo", "centavos"},
    {"$", "dollar", "dollars", "cent", "cents"},
    {"\u20ac", "euro", "euros", "cent", "cents"},
    {"\u00a3", "pound", "pounds", "penny", "pence"},
    {"\u00a5", "yen", "yen", "", ""},
    {"\u20b9", "rupee", "rupees", "paisa", "paise"},
    {"\u20a9", "won", "won", "", ""},
    {"\u20bd", "ruble", "rubles", "kopeck", "kopecks"},
    {"\u20ba", "lira", "lira", "", ""},
    {"\u20aa", "shekel", "shekels", "agora", "agorot"},
    {"\u20bf", "bitcoin", "bitcoins", "", ""},
    {"\u00a2", "cent", "cents", "", ""},
    {"USD", "U S dollar", "U S dollars", "cent", "cents"},
    {"EUR", "euro", "euros", "cent", "cents"},
    {"GBP", "pound", "pounds", "penny", "pence"},
    {"JPY", "yen", "yen", "", ""},
    {"CNY", "yuan", "yuan", "", ""},
    {"INR", "rupee", "rupees", "paisa", "paise"},
    {"CHF", "Swiss franc", "Swiss francs", "centime", "centimes"},
    {"CAD", "Canadian dollar", "Canadian dollars", "cent", "cents"},
    {"AUD", "Australian dollar", "Australian dollars", "cent", "cents"},
    {"SEK", "Swedish krona", "Swedish kronor", "", ""},
    {"NOK", "Norwegian krone", "Norwegian kroner", "", ""},
    {"DKK", "Danish krone", "Danish kroner", "", ""},
    {"KRW", "won", "won", "", ""},
    {"BTC", "bitcoin", "bitcoins", "", ""},
};

constexpr std::string_view kMonths[] = {"January",   "February", "March",    "April",
                                        "May",       "June",     "July",     "August",
                                        "September", "October",  "November", "December"};
constexpr std::string_view kWeekdays[] = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                          "Friday", "Saturday", "Sunday"};

constexpr Abbreviation kAbbreviations[] = {
    {"mr", "mister", false},
    {"mrs", "missus", false},
    {"ms", "miz", true},
    {"mx", "mix", true},
    {"dr", "doctor", false},
    {"drs", "doctors", false},
    {"prof", "professor", true},
    {"rev", "reverend", true},
    {"hon", "honorable", true},
    {"gen", "general", true},
    {"col", "colonel", true},
    {"maj", "major", true},
    {"capt", "captain", true},
    {"cmdr", "commander", true},
    {"lt", "lieutenant", true},
    {"sgt", "sergeant", false},
    {"cpl", "corporal", true},
    {"pvt", "private", true},
    {"adm", "admiral", true},
    {"gov", "governor", true},
    {"sen", "senator", true},
    {"rep", "representative", true},
    {"pres", "president", true},
    {"fr", "father", true},
    {"messrs", "messieurs", false},
    {"jr", "junior", false},
    {"sr", "senior", false},
    {"esq", "esquire", true},
    {"etc", "et cetera", false},
    {"vs", "versus", false},
    {"e.g", "for example", false},
    {"eg", "for example", true},
    {"i.e", "that is", false},
    {"ie", "that is", true},
    {"viz", "namely", true},
    {"cf", "compare", true},
    {"approx", "approximately", false},
    {"appt", "appointment", false},
    {"apt", "apartment", true},
    {"dept", "department", false},
    {"est", "established", true},
    {"govt", "government", false},
    {"inc", "incorporated", true},
    {"ltd", "limited", false},
    {"corp", "corporation", true},
    {"co", "company", true},
    {"bros", "brothers", true},
    {"assn", "association", false},
    {"univ", "university", true},
    {"intl", "international", false},
    {"misc", "miscellaneous", false},
    {"mt", "mount", true},
    {"fig", "figure", true},
    {"figs", "figures", true},
    {"vol", "volume", true},
    {"vols", "volumes", true},
    {"pp", "pages", true},
    {"ch", "chapter", true},
    {"eq", "equation", true},
    {"ref", "reference", true},
    {"ext", "extension", true},
    {"tel", "telephone", true},
    {"temp", "temperature", true},
    {"avg", "average", false},
    {"max", "maximum", true},
    {"min", "minimum", true},
    {"sq", "square", true},
    {"attn", "attention", false},
    {"supt", "superintendent", false},
    {"pt", "part", true},
    {"pts", "parts", true},
    {"rm", "room", true},
    {"tsp", "teaspoon", false},
    {"tbsp", "tablespoon", false},
    {"km/h", "kilometers per hour", false},
    {"m/s", "meters per second", false},
    {"w/", "with", false},
    {"w/o", "without", false},
    {"b/c", "because", false},
    {"a.k.a", "also known as", false},
    {"aka", "also known as", false},
    {"ok", "okay", false},
    {"c/o", "care of", false},
};

constexpr Abbreviation kStreets[] = {
    {"st", "Street", true},     {"ave", "Avenue", false}, {"blvd", "Boulevard", false},
    {"rd", "Road", false},      {"dr", "Drive", true},    {"ln", "Lane", false},
    {"ct", "Court", true},      {"pl", "Place", true},    {"hwy", "Highway", false},
    {"pkwy", "Parkway", false}, {"sq", "Square", true},   {"ter", "Terrace", true},
    {"cir", "Circle", true},
};

constexpr std::string_view kAcronyms[] = {
    "AIDS",   "ALCOA",  "AMOLED", "ANOVA",    "APEC",  "ASAP",  "ASCII",   "ASEAN", "AWOL",
    "BAFTA",  "BIOS",   "BRICS",  "CAPTCHA",  "CERN",  "COBOL", "COVID",   "CUDA",  "DARPA",
    "DOS",    "EBITDA", "FEMA",   "FIFA",     "FIAT",  "FOMO",  "FORTRAN", "GIF",   "GUI",
    "HEPA",   "HIPAA",  "IKEA",   "INTERPOL", "JPEG",  "JSON",  "LAN",     "LASER", "LED",
    "LEGO",   "LIDAR",  "LISP",   "LLAMA",    "MERS",  "MIDI",  "MODEM",   "NAFTA", "NASA",
    "NASCAR", "NASDAQ", "NATO",   "NOAA",     "OLED",  "OPEC",  "OSHA",    "PETA",  "PIN",
    "POTUS",  "QWERTY", "RADAR",  "RAM",      "REM",   "REST",  "ROM",     "ROTC",  "SAAS",
    "SARS",   "SCOTUS", "SCUBA",  "SIM",      "SONAR", "SWAT",  "SWOT",    "TASER", "TED",
    "UEFA",   "UNESCO", "UNICEF", "UNIX",     "WASP",  "WIFI",  "YOLO",    "ZIP",   "NIMBY",
    "CAD",    "TARP",   "VISA",   "WAN"};

constexpr std::string_view kShouted[] = {
    "a",     "about", "again", "all",  "also",   "always", "am",    "an",    "and",  "any",
    "are",   "as",    "ask",   "at",   "back",   "bad",    "be",    "best",  "big",  "both",
    "but",   "buy",   "by",    "call", "can",    "come",   "day",   "did",   "do",   "does",
    "done",  "dont",  "down",  "each", "end",    "even",   "ever",  "every", "few",  "fire",
    "for",   "free",  "from",  "full", "get",    "give",   "go",    "god",   "good", "got",
    "great", "had",   "has",   "hate", "have",   "he",     "hello", "help",  "her",  "here",
    "hey",   "hi",    "him",   "his",  "hot",    "how",    "huge",  "if",    "in",   "into",
    "is",    "its",   "just",  "keep", "kill",   "know",   "large", "last",  "late", "left",
    "less",  "let",   "like",  "live", "long",   "look",   "lot",   "love",  "made", "make",
    "many",  "may",   "me",    "men",  "more",   "most",   "much",  "must",  "my",   "need",
    "never", "new",   "next",  "nice", "no",     "not",    "note",  "now",   "of",   "off",
    "oh",    "old",   "on",    "one",  "only",   "open",   "or",    "our",   "out",  "over",
    "own",   "part",  "per",   "play", "please", "push",   "put",   "read",  "real", "really",
    "red",   "right", "run",   "safe", "said",   "same",   "say",   "see",   "sell", "set",
    "she",   "sit",   "so",    "some", "soon",   "start",  "still", "stop",  "such", "sure",
    "take",  "than",  "that",  "the",  "them",   "then",   "there", "they",  "this", "time",
    "to",    "too",   "top",   "true", "try",    "two",    "up",    "use",   "very", "wait",
    "want",  "war",   "warn",  "was",  "way",    "we",     "well",  "went",  "were", "what",
    "when",  "where", "who",   "why",  "will",   "win",    "with",  "word",  "work", "wow",
    "yes",   "yet",   "you",   "your", "zero",   "false",  "must",  "city",  "dear", "easy",
    "exit",  "fact",  "fail",  "fast", "file",   "find",   "food",  "game",  "girl", "half",
    "hard",  "high",  "hold",  "home", "hope",   "hour",   "idea",  "item",  "kind", "life",
    "line",  "list",  "lost",  "main", "menu",   "mind",   "miss",  "move",  "name", "news",
    "okay",  "once",  "page",  "past", "plan",   "post",   "road",  "room",  "rule", "sale",
    "save",  "send",  "shut",  "side", "site",   "size",   "slow",  "step",  "talk", "tell",
    "test",  "text",  "tips",  "turn", "type",   "user",   "wake",  "walk",  "wall", "week",
    "wish",  "year",  "data",  "days"};

constexpr std::string_view kInitialisms[] = {
    "ACL",  "AD",   "AI",   "AM",   "API", "AR",  "ATM",  "AWS",  "BA",   "BBC",   "BIO",  "CEO",
    "CIA",  "CIO",  "CLI",  "CPU",  "CPR", "CTO", "CFO",  "COO",  "DIY",  "DNA",   "EMT",  "ER",
    "ESL",  "ESP",  "EU",   "EV",   "FAA", "FAQ", "FBI",  "FDA",  "GDP",  "GOP",   "GPA",  "GPU",
    "GPS",  "HIV",  "IBM",  "ICU",  "ID",  "IDE", "IE",   "IMF",  "IOS",  "IP",    "IPA",  "IPO",
    "IQ",   "IRA",  "IRS",  "ISO",  "ISP", "IV",  "KFC",  "LA",   "MBA",  "MIT",   "NBA",  "NIH",
    "NSA",  "OCR",  "OS",   "PA",   "PE",  "PIC", "POV",  "PR",   "RNA",  "ROI",   "RSI",  "SDK",
    "SEO",  "SOS",  "SUV",  "TSA",  "UAE", "UFC", "UFO",  "UI",   "UK",   "UN",    "URL",  "USA",
    "USB",  "USDA", "UV",   "UX",   "VIP", "VR",  "YMCA", "NYPD", "LAPD", "ASCAP", "NCAA", "NAACP",
    "IEEE", "IEC",  "ACLU", "UCLA", "AOL", "MRI", "HVAC", "LGBT", "OAUTH"};

// What English syllables begin with and end in, of two and more consonants.
constexpr std::string_view kOnsets[] = {
    "BL", "BR", "CH", "CL", "CR", "DR",  "DW",  "FL",  "FR",  "GH",  "GL",  "GN",  "GR", "KN",
    "PH", "PL", "PR", "PS", "RH", "SC",  "SH",  "SK",  "SL",  "SM",  "SN",  "SP",  "ST", "SW",
    "TH", "TR", "TW", "WH", "WR", "SCH", "SCR", "SHR", "SPH", "SPL", "SPR", "STR", "THR"};
constexpr std::string_view kCodas[] = {
    "BB", "BS", "CK", "CS", "CT", "DD", "DS", "FF", "FS", "FT", "GG", "GH", "GN", "GS", "HS",
    "KS", "LD", "LF", "LK", "LL", "LM", "LN", "LP", "LS", "LT", "MB", "MN", "MP", "MS", "NC",
    "ND", "NG", "NK", "NN", "NS", "NT", "NX", "PH", "PS", "PT", "RB", "RC", "RD", "RF", "RG",
    "RK", "RL", "RM", "RN", "RP", "RR", "RS", "RT", "SH", "SK", "SM", "SP", "SS", "ST", "TH",
    "TS", "TT", "WD", "WK", "WL", "WN", "WS", "XT", "CH", "LV", "RV", "ZZ", "HT", "RH"};

constexpr std::string_view kRegnal[] = {
    "Henry",   "Louis",     "Charles",  "George",    "Edward",    "Richard",   "James",
    "William", "Elizabeth", "Mary",     "John",      "Paul",      "Pius",      "Benedict",
    "Philip",  "Napoleon",  "Nicholas", "Alexander", "Peter",     "Catherine", "Frederick",
    "Ivan",    "Leopold",   "Otto",     "Francis",   "Ferdinand", "Victoria",  "Wilhelm",
    "Ramses",  "Ramesses",  "Leo",      "Gregory",   "Innocent",  "Urban",     "Clement",
    "Robert",  "Darius",    "Xerxes",   "Gustav",    "Christian"};

constexpr std::string_view kNumbered[] = {
    "chapter", "part",   "volume", "book",  "act",    "scene",  "section", "article",   "phase",
    "type",    "class",  "war",    "title", "level",  "stage",  "bowl",    "episode",   "appendix",
    "grade",   "tier",   "group",  "unit",  "lesson", "module", "round",   "amendment", "no",
    "number",  "figure", "table",  "item",  "step",   "page",   "line",    "gate",      "route"};

constexpr std::string_view kDomains[] = {"com", "org",  "net", "edu", "gov", "io", "ai", "co",
                                         "uk",  "de",   "fr",  "jp",  "us",  "ca", "au", "app",
                                         "dev", "info", "biz", "me",  "tv",  "eu", "ch", "nl",
                                         "se",  "it",   "es",  "ru",  "cn",  "in", "br", "html"};

constexpr std::string_view kScales[] = {"hundred",  "thousand",    "million", "billion",
                                        "trillion", "quadrillion", "dozen"};

struct Symbol {
  char32_t c;
  std::string_view name;
};
constexpr Symbol kSymbols[] = {
    {'&', "and"},
    {'+', "plus"},
    {'=', "equals"},
    {'%', "percent"},
    {'@', "at"},
    {'<', "less than"},
    {'>', "greater than"},
    {'#', "number"},
    {'$', "dollars"},
    {'/', "slash"},
    {'\\', "backslash"},
    {0xA2, "cents"},
    {0xA3, "pounds"},
    {0xA5, "yen"},
    {0xA7, "section"},
    {0xB0, "degrees"},
    {0xB1, "plus or minus"},
    {0xD7, "times"},
    {0xF7, "divided by"},
    {0x20AC, "euros"},
    {0x2030, "per mille"},
    {0x2103, "degrees Celsius"},
    {0x2109, "degrees Fahrenheit"},
    {0x2116, "number"},
    {0x2126, "ohms"},
    {0x2200, "for all"},
    {0x2202, "partial"},
    {0x2203, "there exists"},
    {0x2205, "the empty set"},
    {0x2208, "in"},
    {0x2211, "the sum of"},
    {0x2212, "minus"},
    {0x221A, "the square root of"},
    {0x221E, "infinity"},
    {0x222B, "the integral of"},
    {0x2248, "approximately"},
    {0x2190, "left arrow"},
    {0x2192, "to"},
    {0x21D2, "arrow"},
    {0x2260, "not equal to"},
    {0x2261, "identical to"},
    {0x2264, "less than or equal to"},
    {0x2265, "greater than or equal to"},
};

constexpr std::string_view kGreek[] = {
    "alpha", "beta",   "gamma",   "delta", "epsilon", "zeta",    "eta",  "theta", "iota",
    "kappa", "lambda", "mu",      "nu",    "xi",      "omicron", "pi",   "rho",   "sigma",
    "sigma", "tau",    "upsilon", "phi",   "chi",     "psi",     "omega"};

}  // namespace

const Unit* FindUnit(std::string_view symbol) { return Find(kUnits, &Unit::symbol, symbol); }

const Currency* FindCurrency(std::string_view symbol) {
  return Find(kCurrencies, &Currency::symbol, symbol);
}

const Currency* CurrencyPrefix(std::string_view text) {
  for (const Currency& currency : kCurrencies) {
    if (text.starts_with(currency.symbol)) return &currency;
  }
  return nullptr;
}

const Currency* CurrencySuffix(std::string_view text) {
  for (const Currency& currency : kCurrencies) {
    if (text.ends_with(currency.symbol)) return &currency;
  }
  return nullptr;
}

uint32_t MonthOf(std::string_view word) {
  const std::string lower = AsciiLower(word);
  for (uint32_t month = 1; month <= 12; ++month) {
    const std::string name = AsciiLower(kMonths[month - 1]);
    if (lower == name || (lower.size() == 3 && name.starts_with(lower))) return month;
  }
  return lower == "sept" ? 9 : 0;
}

std::string_view MonthName(uint32_t month) { return kMonths[month - 1]; }

std::string_view WeekdayName(std::string_view word) {
  if (word.size() < 3 || word.size() > 5) return {};
  for (const std::string_view day : kWeekdays) {
    if (day.starts_with(word)) return day;
  }
  return {};
}

const Abbreviation* FindAbbreviation(std::string_view lower) {
  return Find(kAbbreviations, &Abbreviation::text, lower);
}

std::string_view StreetName(std::string_view lower) {
  const Abbreviation* street = Find(kStreets, &Abbreviation::text, lower);
  return street == nullptr ? std::string_view() : street->spoken;
}

bool IsSpokenAcronym(std::string_view upper) { return Contains(kAcronyms, upper); }
bool IsKnownInitialism(std::string_view upper) { return Contains(kInitialisms, upper); }

bool IsPronounceable(std::string_view upper) {
  constexpr std::string_view kVowels = "AEIOUY";
  const size_t first = upper.find_first_of(kVowels);
  if (first == std::string_view::npos) return false;
  const size_t tail = upper.size() - 1 - upper.find_last_of(kVowels);
  if (first > 3 || (first >= 2 && !Contains(kOnsets, upper.substr(0, first)))) return false;
  return tail < 2 || (tail <= 4 && Contains(kCodas, upper.substr(upper.size() - 2)));
}

bool IsShoutedWord(std::string_view lower) { return Contains(kShouted, lower); }
bool IsRegnalName(std::string_view word) { return Contains(kRegnal, word); }
bool IsNumberedWord(std::string_view lower) { return Contains(kNumbered, lower); }
bool IsTopLevelDomain(std::string_view lower) { return Contains(kDomains, lower); }
bool IsScaleWord(std::string_view lower) { return Contains(kScales, lower); }

std::string_view SymbolName(char32_t c) {
  for (const Symbol& symbol : kSymbols) {
    if (symbol.c == c) return symbol.name;
  }
  return {};
}

std::string_view GreekName(char32_t c) {
  if (c >= 0x391 && c <= 0x3A9) c += 0x20;
  if (c == 0xB5) c = 0x3BC;
  if (c < 0x3B1 || c > 0x3C9) return {};
  return kGreek[c - 0x3B1];
}

}  // namespace sotto::normalizer
