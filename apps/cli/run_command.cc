// sotto run: the language model in writing, once or as a conversation.
#include <unistd.h>

#include <iostream>
#include <utility>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/interrupt.h"

namespace sotto::cli {
namespace {

using Json = nlohmann::ordered_json;

struct RunSettings {
  std::vector<std::string> words;
  std::vector<std::string> stops;
  std::string system;
  std::string model;
  uint32_t max_tokens = 512;
  uint32_t context_tokens = 0;
  uint32_t seed = 0;
  uint32_t top_k = 40;
  float temperature = 0.7f;
  float top_p = 0.95f;
  float min_p = 0.05f;
  float repeat_penalty = 1;
  bool no_primer = false;
  CLI::Option* system_option = nullptr;
};

struct Reply {
  std::string text;
  std::string finish_reason;
};

Generation Make(const RunSettings& settings, Context& context) {
  std::vector<const char*> stops;
  for (const std::string& stop : settings.stops) {
    stops.push_back(stop.c_str());
  }
  sotto_generation_config config = GenerationConfig();
  config.max_tokens = settings.max_tokens;
  config.context_tokens = settings.context_tokens;
  config.seed = settings.seed;
  config.temperature = settings.temperature;
  config.top_p = settings.top_p;
  config.top_k = static_cast<int32_t>(settings.top_k);
  config.min_p = settings.min_p;
  config.repeat_penalty = settings.repeat_penalty;
  config.primer = settings.no_primer ? 0 : 1;
  config.model = OrNull(settings.model);
  config.system = settings.system_option->count() > 0 ? settings.system.c_str() : nullptr;
  config.stops = stops.empty() ? nullptr : stops.data();
  config.num_stops = stops.size();
  return Generation(context.engine(), config);
}

// Asks and shows the reply as it comes, unless as JSON. A cancelled reply is a reply; an error is
// thrown.
Reply Ask(Generation& generation, const std::string& prompt, Context& context) {
  const InterruptScope scope([&generation] { generation.Cancel(); });
  generation.PushMessage(SOTTO_CHAT_USER, prompt);
  generation.Start();
  Reply reply;
  for (;;) {
    const GenerationEvent event = generation.Next();
    if (event.type == SOTTO_GENERATION_TEXT) {
      reply.text += event.text;
      if (!context.globals.json) {
        context.console.Result(event.text);
      }
    } else if (event.type == SOTTO_GENERATION_DONE) {
      if (event.status == SOTTO_CANCELLED) {
        reply.finish_reason = "cancelled";
        return reply;
      }
      CheckEnd(event.status, event.message);
      reply.finish_reason = event.finish == SOTTO_FINISH_LENGTH ? "length" : "stop";
      return reply;
    }
  }
}

double PerSecond(uint32_t count, int64_t us) {
  return us > 0 ? static_cast<double>(count) * 1e6 / static_cast<double>(us) : 0.0;
}

Json ReplyJson(const Reply& reply, const sotto_generation_stats& stats, double load_ms) {
  return {{"text", reply.text},
          {"finish_reason", reply.finish_reason},
          {"usage",
           {{"prompt_tokens", stats.prompt_tokens},
            {"reused_tokens", stats.reused_tokens},
            {"completion_tokens", stats.completion_tokens}}},
          {"timings",
           {{"load_ms", Rounded(load_ms)},
            {"first_token_ms", stats.first_token_us < 0
                                   ? Json(nullptr)
                                   : Json(static_cast<double>(stats.first_token_us) / 1000.0)},
            {"decode_tokens_per_s", Rounded(PerSecond(stats.completion_tokens, stats.decode_us))},
            {"prompt_tokens_per_s",
             Rounded(PerSecond(stats.prompt_tokens - stats.reused_tokens, stats.prompt_us))}}}};
}

ExitCode AskOnce(const RunSettings& settings, const std::string& prompt, Context& context) {
  if (prompt.find_first_not_of(" \t\r\n") == std::string::npos) {
    throw CliError(kUsage, "run: PROMPT: empty; give some text, or - for stdin");
  }
  RequireUtf8("run: PROMPT", prompt);
  const Stopwatch loading;
  Generation generation = Make(settings, context);
  const double load_ms = loading.ElapsedMs();
  const Reply reply = Ask(generation, prompt, context);
  if (context.globals.json) {
    context.console.Json(ReplyJson(reply, generation.Stats(), load_ms));
  } else if (!reply.text.ends_with('\n')) {
    context.console.Result("\n");
  }
  return reply.finish_reason == "cancelled" ? kInterrupted : kDone;
}

// A line of the terminal; false at its end. Ctrl-C here ends the program.
bool ReadLine(Console& console, std::string* line) {
  console.Markup(console.Paint(Style::kBold, "> "));
  const InterruptScope scope([] { ::_exit(kInterrupted); });
  return static_cast<bool>(std::getline(std::cin, *line));
}

ExitCode Converse(const RunSettings& settings, Context& context) {
  Console& console = context.console;
  std::optional<Generation> generation(Make(settings, context));
  const Model kept_loaded(context.engine(), SOTTO_ROLE_TEXT, SOTTO_PROFILE_DEFAULT,
                          OrNull(settings.model));
  console.Note("Ctrl-C stops a reply. /clear begins anew, /exit ends, /help lists these.");
  for (std::string line; ReadLine(console, &line);) {
    if (line == "/exit" || line == "/quit") {
      return kDone;
    }
    if (line == "/help") {
      console.Note("/clear  forget the conversation\n/exit   end, as does Ctrl-D\n/help   this");
    } else if (line == "/clear") {
      generation.reset();
      generation.emplace(Make(settings, context));
    } else if (line.find_first_not_of(" \t") != std::string::npos) {
      try {
        RequireUtf8("run: PROMPT", line);
        const Reply reply = Ask(*generation, line, context);
        generation->PushMessage(SOTTO_CHAT_ASSISTANT, reply.text);
        console.Result(reply.finish_reason == "cancelled" ? " ...\n" : "\n");
        ResetInterrupt();
      } catch (const CliError& e) {
        if (e.code() != kNoResources && e.code() != kBadInput) {
          throw;
        }
        console.Note(std::string("sotto: ") + e.what());
      }
    }
  }
  console.Markup("\n");
  return kDone;
}

ExitCode RunRun(const RunSettings& settings, Context& context) {
  RequireUtf8("run: --system", settings.system);
  for (const std::string& stop : settings.stops) {
    RequireUtf8("run: --stop", stop);
  }
  if (settings.context_tokens != 0 && settings.context_tokens < 256) {
    throw CliError(kUsage, "run: --ctx: " + std::to_string(settings.context_tokens) +
                               ": out of range; give 256 or more, or 0 for the default");
  }
  const bool piped = settings.words.size() == 1 && settings.words.front() == "-";
  if (settings.words.empty() && ::isatty(STDIN_FILENO) == 1 && !context.globals.json) {
    return Converse(settings, context);
  }
  const std::string prompt =
      piped || settings.words.empty() ? ReadStandardInput("run: PROMPT") : Join(settings.words);
  return AskOnce(settings, prompt, context);
}

}  // namespace

Action DeclareRun(CLI::App& app) {
  const auto settings = std::make_shared<RunSettings>();
  Options options(app, "run");
  options.Words("PROMPT", settings->words,
                "one prompt, or - for stdin; without it, a conversation on a terminal");
  settings->system_option =
      options.OwnText("--system", settings->system, "system text in place of the pack's primer");
  options.OwnText("-m,--model", settings->model, "language model")->type_name("ID|FILE");
  options.Whole("-n,--max-tokens", settings->max_tokens, {1, 1000000}, "longest reply");
  options.Whole("-c,--ctx", settings->context_tokens, {0, 1u << 24}, "context; 0: up to 4096");
  options.Decimal("--temperature", settings->temperature, {0, 2}, "0: the likeliest reply");
  options.Whole("--seed", settings->seed, {0, UINT32_MAX}, "of the sampling");
  options.Decimal("--top-p", settings->top_p, {1e-6f, 1}, "of the likeliest tokens");
  options.Whole("--top-k", settings->top_k, {0, 1000}, "0: off");
  options.Decimal("--min-p", settings->min_p, {0, 0.999f}, "of the likeliest token's probability");
  options.Decimal("--repeat-penalty", settings->repeat_penalty, {0.5f, 2}, "1: off");
  options.Repeated("--stop", settings->stops, "text before which the reply ends; several times");
  options.Flag("--no-primer", settings->no_primer, "do not start from the pack's primer");
  return [settings](Context& context) { return RunRun(*settings, context); };
}

}  // namespace sotto::cli
