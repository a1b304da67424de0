#include "text/normalizer.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "text/number_words.h"
#include "text/utf8.h"

namespace sotto {
namespace {

struct Row {
  std::string text;
  std::string spoken;
};

class NormalizerTest : public testing::TestWithParam<Row> {};

TEST_P(NormalizerTest, SaysIt) {
  EXPECT_EQ(NormalizeForSpeech(GetParam().text), GetParam().spoken);
}

TEST_P(NormalizerTest, ASecondPassChangesNothing) {
  const std::string once = NormalizeForSpeech(GetParam().text);
  EXPECT_EQ(NormalizeForSpeech(once), once);
}

INSTANTIATE_TEST_SUITE_P(
    Numbers, NormalizerTest,
    testing::Values(Row{"0", "zero"}, Row{"7 cats", "seven cats"}, Row{"13 cats", "thirteen cats"},
                    Row{"20 cats", "twenty cats"}, Row{"42 cats", "forty two cats"},
                    Row{"100 cats", "one hundred cats"}, Row{"101 cats", "one hundred one cats"},
                    Row{"999 cats", "nine hundred ninety nine cats"},
                    Row{"1,024 pages", "one thousand twenty four pages"},
                    Row{"1024 pages", "one thousand twenty four pages"},
                    Row{"1500 pages", "one thousand five hundred pages"},
                    Row{"65,536", "sixty five thousand five hundred thirty six"},
                    Row{"1000000 bits", "one million bits"},
                    Row{"2,500,000", "two million five hundred thousand"},
                    Row{"1000000000 stars", "one billion stars"},
                    Row{"82 million parameters", "eighty two million parameters"},
                    Row{"1,00,000 rupees", "one hundred thousand rupees"},
                    Row{"-5 degrees", "minus five degrees"},
                    Row{"007 agents", "zero zero seven agents"},
                    Row{"3.14", "three point one four"},
                    Row{"0.62 miles", "zero point six two miles"},
                    Row{".5 miles", "point five miles"}, Row{"1.0", "one point zero"},
                    Row{"-0.5", "minus zero point five"},
                    Row{"1,234.5", "one thousand two hundred thirty four point five"},
                    Row{"1,2,3", "one, two, three"},
                    Row{"12345678901234567890123456789012345678",
                        "one two three four five six seven eight nine "
                        "zero one two three four five six seven eight "
                        "nine zero one two three four five six seven "
                        "eight nine zero one two three four five six "
                        "seven eight"}));

INSTANTIATE_TEST_SUITE_P(
    Ordinals, NormalizerTest,
    testing::Values(Row{"1st", "first"}, Row{"2nd", "second"}, Row{"3rd", "third"},
                    Row{"4th", "fourth"}, Row{"5th", "fifth"}, Row{"8th", "eighth"},
                    Row{"9th", "ninth"}, Row{"12th", "twelfth"}, Row{"20th", "twentieth"},
                    Row{"21st", "twenty first"}, Row{"100th", "one hundredth"},
                    Row{"1,000th", "one thousandth"}, Row{"the 2nd chapter", "the second chapter"},
                    Row{"19th-century art", "nineteenth century art"}));

INSTANTIATE_TEST_SUITE_P(
    Fractions, NormalizerTest,
    testing::Values(Row{"1/2 cup", "one half cup"}, Row{"1/4", "one quarter"},
                    Row{"3/4", "three quarters"}, Row{"2/3", "two thirds"},
                    Row{"5/8", "five eighths"}, Row{"2 1/2 cups", "two and a half cups"},
                    Row{"1 3/4 cups", "one and three quarters cups"},
                    Row{"24/7", "twenty four seven"}, Row{"\u00BD cup", "one half cup"},
                    Row{"2\u00BD cups", "two and a half cups"}, Row{"\u00BE", "three quarters"},
                    Row{"7/2", "seven over two"}));

INSTANTIATE_TEST_SUITE_P(
    Years, NormalizerTest,
    testing::Values(
        Row{"in 1999", "in nineteen ninety nine"}, Row{"in 1905", "in nineteen oh five"},
        Row{"in 1900", "in nineteen hundred"}, Row{"in 2000", "in two thousand"},
        Row{"in 2005", "in two thousand five"}, Row{"in 2010", "in twenty ten"},
        Row{"since 2025.", "since twenty twenty five."}, Row{"the 1800s", "the eighteen hundreds"},
        Row{"the 1990s", "the nineteen nineties"}, Row{"the 2000s", "the two thousands"},
        Row{"the 2010s", "the twenty tens"}, Row{"the '90s", "the nineties"},
        Row{"the 80s", "the eighties"}, Row{"1990-1995", "nineteen ninety to nineteen ninety five"},
        Row{"1914\u20131918", "nineteen fourteen to nineteen eighteen"},
        Row{"1066 was a year", "one thousand sixty six was a year"}));

INSTANTIATE_TEST_SUITE_P(
    Dates, NormalizerTest,
    testing::Values(
        Row{"March 3rd, 2025", "March third, twenty twenty five"},
        Row{"March 3, 2025", "March third, twenty twenty five"}, Row{"March 3", "March third"},
        Row{"March 2025", "March twenty twenty five"}, Row{"Mar. 3", "March third"},
        Row{"Sept. 21, 1999", "September twenty first, nineteen ninety nine"},
        Row{"May 3-5", "May third to fifth"}, Row{"2025-03-03", "March third, twenty twenty five"},
        Row{"3/3/2025", "March third, twenty twenty five"},
        Row{"12/25/99", "December twenty fifth, nineteen ninety nine"},
        Row{"25/12/2024", "December twenty fifth, twenty twenty four"},
        Row{"3 March 2025", "the third of March, twenty twenty five"},
        Row{"on the 3rd of March", "on the third of March"}, Row{"the 5th May", "the fifth of May"},
        Row{"I may go", "I may go"}, Row{"Mon. morning", "Monday morning"}));

INSTANTIATE_TEST_SUITE_P(
    Times, NormalizerTest,
    testing::Values(Row{"at 4:30 p.m.", "at four thirty P M."},
                    Row{"at 4:30 p.m. we left", "at four thirty P M we left"},
                    Row{"at 4:30pm", "at four thirty P M"}, Row{"at 4pm", "at four P M"},
                    Row{"at 4 PM", "at four P M"}, Row{"9 a.m. sharp", "nine A M sharp"},
                    Row{"16:05", "sixteen oh five"}, Row{"4:00", "four o'clock"},
                    Row{"16:00", "sixteen hundred"}, Row{"4:00 pm", "four P M"},
                    Row{"12:30:45", "twelve thirty and forty five seconds"},
                    Row{"3-5 pm", "three to five P M"},
                    Row{"a ratio of 3:1", "a ratio of three to one"}));

INSTANTIATE_TEST_SUITE_P(
    Money, NormalizerTest,
    testing::Values(
        Row{"$3.50", "three dollars and fifty cents"}, Row{"$1", "one dollar"},
        Row{"$1.01", "one dollar and one cent"}, Row{"$0.99", "ninety nine cents"},
        Row{"$5", "five dollars"}, Row{"$3.5", "three dollars and fifty cents"},
        Row{"$1,234.56", "one thousand two hundred thirty four dollars and fifty six cents"},
        Row{"$1.2 million", "one point two million dollars"}, Row{"$3M", "three million dollars"},
        Row{"$2.5bn", "two point five billion dollars"}, Row{"$5-10", "five to ten dollars"},
        Row{"-$5", "minus five dollars"}, Row{"\u20ac5", "five euros"},
        Row{"5\u20ac", "five euros"}, Row{"5 EUR", "five euros"}, Row{"EUR 5", "five euros"},
        Row{"\u00a33.99", "three pounds and ninety nine pence"},
        Row{"\u00a5100", "one hundred yen"}, Row{"50\u00a2", "fifty cents"},
        Row{"$20/month", "twenty dollars per month"}, Row{"US$5", "five U S dollars"},
        Row{"$1.125", "one point one two five dollars"}));

INSTANTIATE_TEST_SUITE_P(
    Units, NormalizerTest,
    testing::Values(
        Row{"20%", "twenty percent"}, Row{"5-10%", "five to ten percent"},
        Row{"5 km", "five kilometers"}, Row{"1 km", "one kilometer"}, Row{"5km", "five kilometers"},
        Row{"100 km/h", "one hundred kilometers per hour"}, Row{"3 m/s", "three meters per second"},
        Row{"9.8 m/s\u00B2", "nine point eight meters per second squared"},
        Row{"20\u00B0C", "twenty degrees Celsius"},
        Row{"72 \u00B0F", "seventy two degrees Fahrenheit"}, Row{"90\u00B0", "ninety degrees"},
        Row{"8GB", "eight gigabytes"}, Row{"3.5 GHz", "three point five gigahertz"},
        Row{"50 Hz", "fifty hertz"}, Row{"60 mph", "sixty miles per hour"},
        Row{"2 lbs", "two pounds"}, Row{"10 m\u00B2", "ten square meters"},
        Row{"5kg bag", "five kilograms bag"}, Row{"10 kg.", "ten kilograms."},
        Row{"6'2\"", "six feet two inches"}, Row{"3x4", "three by four"},
        Row{"1920x1080", "one thousand nine hundred twenty by one thousand eighty"},
        Row{"10x faster", "ten times faster"}, Row{"50+ people", "fifty plus people"},
        Row{"~5 people", "about five people"}, Row{"<5 people", "less than five people"}));

INSTANTIATE_TEST_SUITE_P(
    Digits, NormalizerTest,
    testing::Values(
        Row{"Call 555 0199 now", "Call five five five, zero one nine nine now"},
        Row{"555-0199", "five five five, zero one nine nine"},
        Row{"(555) 123-4567", "five five five, one two three, four five six seven"},
        Row{"1-800-555-0199", "one, eight zero zero, five five five, zero one nine nine"},
        Row{"555.123.4567", "five five five, one two three, four five six seven"},
        Row{"+1 555 123 4567", "plus one, five five five, one two three, four five six seven"},
        Row{"PIN 4821", "PIN four eight two one"}, Row{"Room 204", "Room two oh four"},
        Row{"v1.2.3", "version one point two point three"},
        Row{"1.2.3", "one point two point three"},
        Row{"192.168.1.1", "one ninety two dot one sixty eight dot one dot one"},
        Row{"123-45-6789", "one two three, four five, six seven eight nine"},
        Row{"at 221 Baker St. in London", "at two twenty one Baker Street in London"},
        Row{"1600 Pennsylvania Avenue", "sixteen hundred Pennsylvania Avenue"},
        Row{"10 Downing Street", "ten Downing Street"},
        Row{"Chicago, IL 60601", "Chicago, I L six zero six zero one"},
        Row{"10-20 people", "ten to twenty people"}, Row{"pp. 10-12", "pages ten to twelve"},
        Row{"a 5-year-old", "a five year-old"}, Row{"F-16", "F sixteen"}, Row{"A4", "A four"},
        Row{"mp3", "mp three"}, Row{"B2B", "B two B"}, Row{"H2O", "H two O"},
        Row{"H\u2082O", "H two O"}, Row{"COVID-19", "COVID nineteen"}, Row{"3D", "three D"}));

INSTANTIATE_TEST_SUITE_P(
    Abbreviations, NormalizerTest,
    testing::Values(
        Row{"Dr. Smith", "Doctor Smith"}, Row{"Mr. Lee", "mister Lee"},
        Row{"Mrs. Lee", "missus Lee"}, Row{"Ms. Lee", "miz Lee"}, Row{"Prof. Lee", "professor Lee"},
        Row{"St. Paul", "Saint Paul"}, Row{"on Main St. today", "on Main Street today"},
        Row{"Sunset Blvd.", "Sunset Boulevard."}, Row{"Mt. Everest", "mount Everest"},
        Row{"No. 5", "number five"}, Row{"No. I won't.", "No. I won't."},
        Row{"e.g. this", "for example this"}, Row{"i.e. that", "that is that"},
        Row{"etc.", "et cetera."}, Row{"cats vs. dogs", "cats versus dogs"},
        Row{"Acme Inc. sells", "Acme incorporated sells"}, Row{"approx. ten", "approximately ten"},
        Row{"Martin Luther King Jr. spoke", "Martin Luther King junior spoke"},
        Row{"J. R. Smith", "J R Smith"}, Row{"the U.S. Army", "the U S Army"},
        Row{"a Ph.D. thesis", "a P H D thesis"}, Row{"Washington, D.C.", "Washington, D C."},
        Row{"w/o sugar", "without sugar"}));

INSTANTIATE_TEST_SUITE_P(
    Capitals, NormalizerTest,
    testing::Values(
        Row{"NASA and the FBI met the CEO.", "NASA and the F B I met the C E O."},
        Row{"the FBI's plan", "the F B I's plan"}, Row{"two CEOs", "two C E O's"},
        Row{"NATO", "NATO"}, Row{"a PDF or PNG", "a P D F or P N G"}, Row{"STOP now", "stop now"},
        Row{"do NOT go", "do not go"}, Row{"I AM NOT SURE ABOUT THIS", "I am not sure about this"},
        Row{"AT&T", "A T and T"}, Row{"R&B", "R and B"}, Row{"A dog", "a dog"},
        Row{"Plan A works", "Plan A works"}, Row{"an X-ray", "an X ray"},
        Row{"Henry VIII", "Henry the eighth"}, Row{"Elizabeth II.", "Elizabeth the second."},
        Row{"World War II", "World War two"}, Row{"Chapter IV", "Chapter four"},
        Row{"I think", "I think"}, Row{"AI models", "A I models"}, Row{"iPhone", "iPhone"}));

INSTANTIATE_TEST_SUITE_P(
    Symbols, NormalizerTest,
    testing::Values(
        Row{"2+2=4", "two plus two equals four"},
        Row{"5 \u00D7 3 = 15", "five times three equals fifteen"}, Row{"a & b", "a and B"},
        Row{"x^2", "X squared"}, Row{"10\u2076", "ten to the power of six"},
        Row{"5 > 3", "five greater than three"}, Row{"#1 fan", "number one fan"},
        Row{"#BlackFriday", "hashtag Black Friday"}, Row{"@john", "at john"},
        Row{"C++", "C plus plus"}, Row{"C#", "C sharp"}, Row{"and/or", "and or"},
        Row{"\u03B1 and \u03B2", "alpha and beta"},
        Row{"www.example.com", "W W W dot example dot com"},
        Row{"https://example.com/a_b", "example dot com slash A underscore B"},
        Row{"bob@mail.com", "bob at mail dot com"}, Row{"see example.org.", "see example dot org."},
        Row{"(see below) now", "see below, now"}, Row{"\"quoted\"", "quoted"},
        Row{"wait... what", "wait, what"}, Row{"rock 'n' roll", "rock and roll"},
        Row{"\u2713 done", "done"}, Row{"well-known", "well-known"}, Row{"yes\u2014no", "yes, no"},
        Row{"I\u2019m", "I'm"}, Row{"dogs\u2019 toys", "dogs toys"},
        Row{"\uFF11\uFF12\uFF13", "one hundred twenty three"}, Row{"\u0663", "three"},
        Row{"\u2460 first", "one first"}, Row{"\U0001D400\U0001D401", "A B"}, Row{"", ""},
        Row{"caf\u00e9", "caf\u00e9"}, Row{"\u4e2d\u6587", "\u4e2d\u6587"},
        Row{"bad\xFF"
            "byte",
            "badbyte"}));

INSTANTIATE_TEST_SUITE_P(
    DigitStrings, NormalizerTest,
    testing::Values(
        Row{"Dial 911 now", "Dial nine one one now"}, Row{"call 112", "call one one two"},
        Row{"text 40404 to join", "text four zero four zero four to join"},
        Row{"call 100 people", "call one hundred people"}, Row{"after 9/11", "after nine eleven"},
        Row{"20/20 vision", "twenty twenty vision"},
        Row{"4111 1111 1111 1111",
            "four one one one, one one one one, one one one one, one one one one"},
        Row{"3782 822463 10005",
            "three seven eight two, eight two two four six three, one zero zero zero five"},
        Row{"2025-03-03T14:30:00Z", "March third, twenty twenty five at fourteen thirty U T C"},
        Row{"2025-03-03 14:30", "March third, twenty twenty five at fourteen thirty"},
        Row{"2024-12-31T09:05:07.25",
            "December thirty first, twenty twenty four at nine oh five and seven point two five "
            "seconds"},
        Row{"2025-03-03T14:30+02:00",
            "March third, twenty twenty five at fourteen thirty plus two hours"}));

INSTANTIATE_TEST_SUITE_P(
    AllCapitals, NormalizerTest,
    testing::Values(Row{"FBI, CIA, HTML, JSON, SQL", "F B I, C I A, H T M L, JSON, S Q L"},
                    Row{"NO WAY MAN", "no way man"},
                    Row{"BOB AND SUE MET JIM", "bob and sue met jim"},
                    Row{"IBM AND AT&T", "I B M and A T and T"},
                    Row{"THE FBI AND THE CIA RAIDED A HOUSE",
                        "the F B I and the C I A raided a house"},
                    Row{"PLEASE SEND THE PDF VIA USB", "please send the P D F via U S B"},
                    Row{"NASA SENT A MAN INTO SPACE", "NASA sent a man into space"}));

INSTANTIATE_TEST_SUITE_P(
    Signs, NormalizerTest,
    testing::Values(Row{"5 - 3 = 2", "five minus three equals two"},
                    Row{"5 * 3", "five times three"}, Row{"$-5", "minus five dollars"},
                    Row{"-$5", "minus five dollars"}, Row{"3x-5y", "three X minus five Y"},
                    Row{"5~10 people", "five to ten people"},
                    Row{"1e-9", "one times ten to the minus nine"},
                    Row{"2.5e6", "two point five times ten to the six"},
                    Row{"10\u207B\u00B3", "ten to the minus three"},
                    Row{"10^-3", "ten to the minus three"}, Row{"x\u00B2", "X squared"},
                    Row{"1 000 000", "one million"}, Row{"10 000 km", "ten thousand kilometers"},
                    Row{"1 234 567",
                        "one million two hundred thirty four thousand five hundred sixty seven"},
                    Row{"100 200 300", "one hundred two hundred three hundred"},
                    Row{"3-1/2 cups", "three and a half cups"}, Row{"2/3rds", "two thirds"},
                    Row{"1/4th", "one quarter"},
                    Row{"1990 - 1995", "nineteen ninety to nineteen ninety five"}));

INSTANTIATE_TEST_SUITE_P(
    Spans, NormalizerTest,
    testing::Values(Row{"9am-5pm", "nine A M to five P M"}, Row{"9-5pm", "nine to five P M"},
                    Row{"9:30-17:00", "nine thirty to seventeen hundred"},
                    Row{"10 a.m.-2 p.m.", "ten A M to two P M."},
                    Row{"9 am-5 pm daily", "nine A M to five P M daily"},
                    Row{"9 am - 5 pm daily", "nine A M to five P M daily"},
                    Row{"1st-3rd", "first to third"}, Row{"Mon-Fri", "Monday to Friday"},
                    Row{"Monday-Friday", "Monday to Friday"},
                    Row{"Jan-Mar 2024", "January to March twenty twenty four"}));

INSTANTIATE_TEST_SUITE_P(
    RomansAndFormulas, NormalizerTest,
    testing::Values(Row{"George III's reign", "George the third's reign"},
                    Row{"Vol. II", "volume two"}, Row{"Vol. II is out", "volume two is out"},
                    Row{"chapter IV", "chapter four"}, Row{"Pt. III", "part three"},
                    Row{"H2SO4", "H two S O four"}, Row{"CO2", "C O two"}, Row{"NO2", "N O two"},
                    Row{"H2O", "H two O"}, Row{"Rm. 204", "room two oh four"}));

INSTANTIATE_TEST_SUITE_P(
    Measures, NormalizerTest,
    testing::Values(Row{"6'", "six feet"}, Row{"12\"", "twelve inches"},
                    Row{"a 12\" pipe", "a twelve inches pipe"}, Row{"1'", "one foot"},
                    Row{"6' 2\"", "six feet two inches"},
                    Row{"the \"top 12\" list", "the top twelve list"},
                    Row{"the 'top 6' list", "the top six list"},
                    Row{"6 in. wide", "six inches wide"}, Row{"5 ft 10 in", "five feet ten inches"},
                    Row{"6 in ten", "six in ten"}, Row{"10 s", "ten seconds"},
                    Row{"a tsp of salt", "a teaspoon of salt"},
                    Row{"in km/h", "in kilometers per hour"}, Row{"1/2 tsp", "one half teaspoon"}));

INSTANTIATE_TEST_SUITE_P(
    PhonesAndPorts, NormalizerTest,
    testing::Values(
        Row{"(212)555-0100", "two one two, five five five, zero one zero zero"},
        Row{"call (415)555.2671 today",
            "call, four one five, five five five, two six seven one today"},
        Row{"1-(212)-555-0100", "one, two one two, five five five, zero one zero zero"},
        Row{"+1(212)555-0100", "plus one, two one two, five five five, zero one zero zero"},
        Row{"+44(0)20 7946 0018",
            "plus four four, zero two zero, seven nine four six, zero zero one eight"},
        Row{"192.168.0.1:8080",
            "one ninety two dot one sixty eight dot zero dot one port eighty eighty"},
        Row{"10.0.0.0/8", "ten dot zero dot zero dot zero slash eight"},
        Row{"localhost:8080", "localhost port eighty eighty"},
        Row{"https://example.com:443/a", "example dot com port four forty three slash A"}));

INSTANTIATE_TEST_SUITE_P(
    Clocks, NormalizerTest,
    testing::Values(
        Row{"12:00:00.000", "twelve o'clock"}, Row{"14:30:00", "fourteen thirty"},
        Row{"9:05:01", "nine oh five and one second"},
        Row{"23:59:59.5", "twenty three fifty nine and fifty nine point five seconds"},
        Row{"17:05Z", "seventeen oh five U T C"},
        Row{"17:05+02:00", "seventeen oh five plus two hours"}, Row{"5.30pm", "five thirty P M"},
        Row{"at 9.15 a.m. sharp", "at nine fifteen A M sharp"},
        Row{"6.30-7.30pm", "six thirty to seven thirty P M"},
        Row{"5.30 million", "five point three zero million"}, Row{"13:60", "thirteen sixty"},
        Row{"99:99", "ninety nine ninety nine"}, Row{"100:30:05", "one hundred thirty zero five"},
        Row{"a ratio of 16:10", "a ratio of sixteen to ten"}, Row{"16:9", "sixteen to nine"}));

INSTANTIATE_TEST_SUITE_P(
    UnitShapes, NormalizerTest,
    testing::Values(
        Row{"1/2-inch", "one half inch"}, Row{"a \u00BD-inch bolt", "a one half inch bolt"},
        Row{"2\u00BD-inch", "two and a half inch"}, Row{"3/4\" bolt", "three quarters inch bolt"},
        Row{"10/3-inch", "ten over three inch"}, Row{"1/2 km", "one half kilometer"},
        Row{"5 kg/m\u00B3", "five kilograms per cubic meter"},
        Row{"5 W/m\u00B2", "five watts per square meter"},
        Row{"10 m\u00B3/s", "ten cubic meters per second"}, Row{"km\u00B2", "square kilometers"},
        Row{"per m\u00B3", "per cubic meter"}, Row{"x\u00B3", "X cubed"},
        Row{"in kWh", "in kilowatt hours"}, Row{"price per kWh", "price per kilowatt hour"},
        Row{"5 ft-lb", "five foot pounds"}, Row{"5 sq ft", "five square feet"},
        Row{"10 cu. ft.", "ten cubic feet."}, Row{"12 fl oz", "twelve fluid ounces"},
        Row{"5 l", "five liters"}, Row{"5 mg/dL", "five milligrams per deciliter"},
        Row{"8.5\" x 11\"", "eight point five inches by eleven inches"},
        Row{"1.5e-3 m", "one point five times ten to the minus three meters"},
        Row{"3e8m/s", "three times ten to the eight meters per second"},
        Row{"-3-5", "minus three to five"}, Row{"-3--5", "minus three to minus five"},
        Row{"-3-5-7", "minus three to five to seven"},
        Row{"-10-20\u00B0C", "minus ten to twenty degrees Celsius"},
        Row{"a 5-km run", "a five kilometer run"}, Row{"room 5-B", "room five B"},
        Row{"5'11\"", "five feet eleven inches"}, Row{"5'11", "five feet eleven"},
        Row{"40\u00B026'46\"N", "forty degrees twenty six minutes forty six seconds north"},
        Row{"40\u00B0 26\u2032 46\u2033 N",
            "forty degrees twenty six minutes forty six seconds north"},
        Row{"45\u00B030'", "forty five degrees thirty minutes"},
        Row{"79.98\u00B0 W", "seventy nine point nine eight degrees west"},
        Row{"3\"x5\"", "three inch by five inch"},
        Row{"8.5\"x11\"", "eight point five inch by eleven inch"},
        Row{"3'x5'", "three foot by five foot"}, Row{"5 x 3", "five by three"},
        Row{"6 in wide", "six inches wide"}, Row{"12 in long,", "twelve inches long,"},
        Row{"6 in x 4 in", "six inches by four inches"},
        Row{"6 in high school", "six in high school"}, Row{"Ft. Worth", "Fort Worth"},
        Row{"5 ft. The", "five feet. The"}));

INSTANTIATE_TEST_SUITE_P(
    Alternatives, NormalizerTest,
    testing::Values(Row{"he/she", "he or she"}, Row{"s/he", "she or he"},
                    Row{"his/her book", "his or her book"}, Row{"yes/no", "yes or no"},
                    Row{"input/output", "input output"}, Row{"src/text", "src slash text"},
                    Row{"red/green/blue", "red slash green slash blue"},
                    Row{"AC/DC", "A C slash D C"}, Row{"1066 AD", "ten sixty six A D"},
                    Row{"AD 1066", "A D ten sixty six"}, Row{"in 1066", "in ten sixty six"},
                    Row{"died 1066.", "died ten sixty six."},
                    Row{"in 1024 bytes", "in one thousand twenty four bytes"},
                    Row{"500 BC", "five hundred B C"}));

INSTANTIATE_TEST_SUITE_P(
    CodeOperators, NormalizerTest,
    testing::Values(Row{"a != b", "a is not equal to B"}, Row{"a!=b", "a is not equal to B"},
                    Row{"a !== b", "a is not equal to B"}, Row{"a == b", "a equals B"},
                    Row{"x >= 5", "X is greater than or equal to five"},
                    Row{"5<=x", "five is less than or equal to X"},
                    Row{">= 5", "greater than or equal to five"},
                    Row{"x \u2265 5", "X is greater than or equal to five"},
                    Row{"a -> b", "a to B"}, Row{"p->next", "P arrow next"},
                    Row{"x => y", "X arrow Y"}, Row{"x := 5", "X equals five"},
                    Row{"a && b || c", "a and B or C"}, Row{"x <- 5", "X left arrow five"},
                    Row{"x <y", "X less than Y"},
                    Row{"THE VALUE A != B IS WRONG", "the value a is not equal to B is wrong"},
                    Row{"https://x.com/?a==b", "X dot com slash question mark A equals equals B"},
                    Row{"a < b", "a less than B"}, Row{"vector<int>", "vector int"},
                    Row{"map<string, vector<int>> m", "map string, vector int M"},
                    Row{"List<String>.", "List String."}));

INSTANTIATE_TEST_SUITE_P(
    Tags, NormalizerTest,
    testing::Values(Row{"<speak>Hi.<break time=\"1s\"/>Bye.</speak>", "Hi. Bye."},
                    Row{"<speak>Hi<break time='1s'/>Bye</speak>", "Hi, Bye"},
                    Row{"<?xml version=\"1.0\"?><p>One</p><p>Two</p>", "One. Two."},
                    Row{"<say-as interpret-as=\"date\">2020</say-as>", "twenty twenty"},
                    Row{"one <x:mood kind=\"glad\">two", "one two"},
                    Row{"<custom>thing</custom>", "thing"},
                    Row{"a <b>bold</b> word", "a bold word"}, Row{"<!-- note -->Hi", "Hi"},
                    Row{"say <name> now", "say name now"}, Row{"I <3 you", "I less than three you"},
                    Row{"Fish &amp; chips&nbsp;&lt; 5", "Fish and chips less than five"},
                    Row{"it&#39;s &quot;fine&quot;", "it's fine"}, Row{"it&#x2019;s", "it's"},
                    Row{"caf&eacute; &bogus; R&B", "caf\u00e9 and bogus; R and B"},
                    Row{"5&deg;C &#0;&#xD800;&#99999999;now", "five degrees Celsius now"}));

// 47: no digit and no letter is dropped silently.
TEST(Case047, NumbersAreNeverDropped) {
  const std::string shapes[] = {"%",    "$%",      "%%",      "%km",   "%.%", "%,%", "%-%",
                                "%/%",  "%:%",     "a%",      "%b",    "#%",  "@%",  "%th",
                                "v%.%", "(%)",     "\"%\"",   "%.",    "%!",  "%x%", "%+%=%",
                                "%^%",  "%\u00B0", "\u20ac%", "%%%-%", "+%",  "~%"};
  for (const std::string& shape : shapes) {
    for (const std::string digit : {"1", "7", "12", "405", "2024", "98765"}) {
      std::string text;
      for (const char c : shape) text += c == '%' ? digit : std::string(1, c);
      const std::string spoken = NormalizeForSpeech("x " + text + " y");
      EXPECT_GT(spoken.size(), 5u) << text;
      for (const char c : spoken) EXPECT_FALSE(c >= '0' && c <= '9') << text << ": " << spoken;
    }
  }
}

TEST(Case047, EveryLetterOfAMixIsSaid) {
  std::mt19937 random(3);
  const std::string alphabet = "abcXYZ019.,-/:_+@#'\"()$% ";
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (int i = 0; i < 12; ++i) text += alphabet[random() % alphabet.size()];
    size_t letters = 0;
    for (const char c : text) letters += IsAsciiAlpha(static_cast<unsigned char>(c));
    const std::string spoken = NormalizeForSpeech(text);
    size_t said = 0;
    for (const char c : spoken) said += IsAsciiAlpha(static_cast<unsigned char>(c));
    EXPECT_GE(said, letters) << text << " -> " << spoken;
  }
}

TEST(Case049, CurlyApostropheKeepsContractions) {
  EXPECT_EQ(NormalizeForSpeech("I\u2019m sure it\u2019s fine, doesn\u2019t matter"),
            "I'm sure it's fine, doesn't matter");
}

TEST(NumberWords, ReachTheirLimit) {
  EXPECT_EQ(CardinalWords("1" + std::string(35, '0')), "one hundred decillion");
  EXPECT_EQ(CardinalWords("1" + std::string(36, '0')).substr(0, 13), "one zero zero");
  EXPECT_EQ(OrdinalWords(uint64_t{30}), "thirtieth");
  EXPECT_EQ(PairWords("1605"), "sixteen oh five");
  EXPECT_EQ(PairWords("2000"), "two thousand");
  EXPECT_EQ(DecadeWords(1920), "nineteen twenties");
  EXPECT_EQ(PluralOf("half"), "halfs");
}

TEST(Normalizer, TakesLongTextInLinearTime) {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += "a1,2-3/4:5.6 ";
  EXPECT_LT(NormalizeForSpeech(text).size(), text.size() * 40);
  EXPECT_FALSE(NormalizeForSpeech(std::string(200000, '9')).empty());
  EXPECT_FALSE(NormalizeForSpeech(std::string(200000, 'X')).empty());
  for (const std::string part :
       {"<", "</a", "&", "<a", "(1)", "<!--", "!= ", "a<b,", "40\u00b0 "}) {
    std::string many;
    for (int i = 0; i < 40000; ++i) many += part;
    EXPECT_LE(NormalizeForSpeech(many).size(), many.size() * 40);
  }
  std::string hyphens;
  for (int i = 0; i < 40000; ++i) hyphens += i % 2 == 0 ? "aa-" : "BB-";
  EXPECT_FALSE(NormalizeForSpeech(hyphens).empty());
}

}  // namespace
}  // namespace sotto
