// A program of somebody else, in C++: knows the installed headers and library alone.
#include <sotto/sotto.h>

#include <iostream>
#include <memory>

int main() {
  sotto_engine_config config;
  sotto_engine_config_init(&config);
  config.threads = 1;
  sotto_engine* created = nullptr;
  if (sotto_engine_create(&config, &created) != SOTTO_OK) {
    std::cerr << sotto_last_error_message() << '\n';
    return 1;
  }
  const std::unique_ptr<sotto_engine, void (*)(sotto_engine*)> engine(created,
                                                                      sotto_engine_release);
  std::cout << sotto_version() << '\n';
  return 0;
}
