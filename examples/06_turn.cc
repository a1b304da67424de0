// 05_turn.c in C++: no release to forget, errors as exceptions, and the sound on its own thread.
//
//   ./06_turn question.wav reply.wav
#include <cstdlib>
#include <future>
#include <iostream>
#include <vector>

#include "sotto/sotto.hpp"

namespace {

void WriteReply(sotto::Turn& turn, const char* path) {
  sotto::AudioWriter writer(path, turn.reply_rate_hz());
  std::vector<float> block(4096);
  for (bool is_end = false; !is_end;) {
    const sotto::SoundRead read = turn.ReadAudio(block.data(), block.size());
    writer.Write(block.data(), read.num_samples);
    is_end = read.is_end;
  }
  writer.Commit();
}

void Answer(const char* question_path, const char* reply_path) {
  const sotto::Engine engine;
  const sotto::Clip question(question_path, 16000);
  sotto::Turn turn(engine);  // listens at 16 kHz unless its config says otherwise
  auto sound = std::async(std::launch::async, [&] { WriteReply(turn, reply_path); });
  turn.PushAudio(question.samples(), question.num_samples());
  turn.Finish();
  for (sotto::TurnEvent event = turn.Next();; event = turn.Next()) {
    if (event.type == SOTTO_TURN_TRANSCRIPT) {
      std::cout << "heard: " << event.text << "\nreply: ";
    } else if (event.type == SOTTO_TURN_REPLY_TEXT) {
      std::cout << event.text << std::flush;
    } else if (event.type == SOTTO_TURN_ENDED) {
      if (event.status != SOTTO_OK) {
        throw sotto::Error(event.status, event.message);
      }
      break;
    }
  }
  sound.get();
  std::cout << "\n" << turn.TraceJson() << "\n";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: 06_turn QUESTION.wav REPLY.wav\n";
    return 2;
  }
  try {
    Answer(argv[1], argv[2]);
    return EXIT_SUCCESS;
  } catch (const sotto::Error& e) {
    std::cerr << sotto_status_name(e.status()) << ": " << e.what() << "\n";
    return EXIT_FAILURE;
  }
}
