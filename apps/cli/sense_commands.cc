// sotto vad, embed, turn-score and speaker: the small models, one call each.
#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/interrupt.h"

namespace sotto::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr uint32_t kRateHz = 16000;
constexpr size_t kFeedSamples = size_t{kRateHz} * 10;

struct VadSettings {
  std::string file;
  float threshold = 0.5f;
  uint32_t min_silence_ms = 300;
  uint32_t pre_roll_ms = 200;
};

ExitCode RunVad(const VadSettings& settings, Context& context) {
  const Clip clip = LoadSound(settings.file, kRateHz);
  sotto_vad_config config = VadConfig();
  config.rate_hz = kRateHz;
  config.threshold = settings.threshold;
  config.min_silence_ms = settings.min_silence_ms;
  config.pre_roll_ms = settings.pre_roll_ms;
  Vad vad(context.engine(), config);
  for (size_t at = 0; at < clip.num_samples(); at += kFeedSamples) {
    vad.Feed(clip.samples() + at, std::min(kFeedSamples, clip.num_samples() - at));
  }
  vad.Finish();
  Json spans = Json::array();
  for (SpeechSpan span; vad.Next(&span);) {
    const double start_s = static_cast<double>(span.start_ms) / 1000.0;
    const double end_s = static_cast<double>(span.end_ms) / 1000.0;
    spans.push_back({{"start_s", start_s}, {"end_s", end_s}});
    if (!context.globals.json) {
      char line[64];
      std::snprintf(line, sizeof line, "%9.3f  %9.3f\n", start_s, end_s);
      context.console.Result(line);
    }
  }
  if (context.globals.json) {
    context.console.Json({{"spans", spans}});
  }
  return kDone;
}

struct EmbedSettings {
  std::vector<std::string> texts;
  std::string model;
};

std::string VectorText(const std::vector<float>& vector) {
  std::string line;
  for (const float x : vector) {
    char text[24];
    std::snprintf(text, sizeof text, "%.6f", static_cast<double>(x));
    line += (line.empty() ? "" : " ") + std::string(text);
  }
  return line + "\n";
}

ExitCode RunEmbed(const EmbedSettings& settings, Context& context) {
  std::vector<std::string> texts = settings.texts;
  if (texts.size() == 1 && texts.front() == "-") {
    texts = {ReadStandardInput("embed: TEXT")};
  }
  for (const std::string& text : texts) {
    RequireUtf8("embed: TEXT", text);
  }
  const Model kept_loaded(context.engine(), SOTTO_ROLE_EMBEDDING, SOTTO_PROFILE_DEFAULT,
                          OrNull(settings.model));
  Json embeddings = Json::array();
  for (const std::string& text : texts) {
    const std::vector<float> vector = EmbedText(context.engine(), text, OrNull(settings.model));
    if (context.globals.json) {
      embeddings.push_back(vector);
    } else {
      context.console.Result(VectorText(vector));
    }
  }
  if (context.globals.json) {
    context.console.Json({{"embeddings", embeddings}});
  }
  return kDone;
}

ExitCode RunTurnScore(const std::string& file, Context& context) {
  const Clip clip = LoadSound(file, kRateHz);
  const double probability =
      static_cast<double>(TurnScore(context.engine(), clip.samples(), clip.num_samples(), kRateHz));
  if (context.globals.json) {
    context.console.Json({{"probability", probability}});
  } else {
    char line[32];
    std::snprintf(line, sizeof line, "%.4f\n", probability);
    context.console.Result(line);
  }
  return kDone;
}

struct SpeakerSettings {
  std::vector<std::string> files;
  std::string model;
};

// The vectors have length 1.
double Cosine(const std::vector<float>& a, const std::vector<float>& b) {
  double sum = 0;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  }
  return sum;
}

ExitCode RunSpeaker(const SpeakerSettings& settings, Context& context) {
  std::vector<Clip> clips;
  for (const std::string& file : settings.files) {
    clips.push_back(LoadSound(file, kRateHz));
  }
  const Model kept_loaded(context.engine(), SOTTO_ROLE_SPEAKER, SOTTO_PROFILE_DEFAULT,
                          OrNull(settings.model));
  std::vector<std::vector<float>> vectors;
  for (const Clip& clip : clips) {
    vectors.push_back(EmbedSpeaker(context.engine(), clip, OrNull(settings.model)));
  }
  Json matrix = Json::array();
  for (const auto& a : vectors) {
    Json row = Json::array();
    for (const auto& b : vectors) {
      row.push_back(Cosine(a, b));
    }
    matrix.push_back(std::move(row));
  }
  if (context.globals.json) {
    context.console.Json({{"files", settings.files}, {"embeddings", vectors}, {"cosine", matrix}});
    return kDone;
  }
  for (size_t i = 0; i < settings.files.size(); ++i) {
    std::string line;
    for (const auto& cosine : matrix[i]) {
      char text[16];
      std::snprintf(text, sizeof text, "%6.3f ", cosine.get<double>());
      line += text;
    }
    context.console.Result(line + " " + settings.files[i] + "\n");
  }
  return kDone;
}

}  // namespace

Action DeclareVad(CLI::App& app) {
  const auto settings = std::make_shared<VadSettings>();
  Options options(app, "vad");
  app.add_option("FILE", settings->file, "a sound file, or - for stdin")->required();
  options.Decimal("--threshold", settings->threshold, {0.05f, 0.95f},
                  "probability that opens a span");
  options.Whole("--min-silence-ms", settings->min_silence_ms, {30, 5000},
                "silence that closes a span");
  options.Whole("--pre-roll-ms", settings->pre_roll_ms, {0, 2000}, "a span begins so much earlier");
  return [settings](Context& context) { return RunVad(*settings, context); };
}

Action DeclareEmbed(CLI::App& app) {
  const auto settings = std::make_shared<EmbedSettings>();
  Options options(app, "embed");
  options.Words("TEXT", settings->texts, "one vector each, or - for stdin as one text")->required();
  options.OwnText("--model", settings->model, "embedding model")->type_name("ID|FILE");
  return [settings](Context& context) { return RunEmbed(*settings, context); };
}

Action DeclareTurnScore(CLI::App& app) {
  const auto file = std::make_shared<std::string>();
  app.add_option("FILE", *file, "a sound file that ends where it is asked, or -")->required();
  return [file](Context& context) { return RunTurnScore(*file, context); };
}

Action DeclareSpeaker(CLI::App& app) {
  const auto settings = std::make_shared<SpeakerSettings>();
  Options options(app, "speaker");
  options.Words("FILE", settings->files, "sound files, one voice each")->required();
  options.OwnText("--model", settings->model, "voice encoder")->type_name("ID|FILE");
  return [settings](Context& context) { return RunSpeaker(*settings, context); };
}

}  // namespace sotto::cli
