// A folder that is gone when the test is over.
#ifndef SOTTO_STORE_TEMP_DIR_FOR_TEST_H_
#define SOTTO_STORE_TEMP_DIR_FOR_TEST_H_

#include <cstdlib>
#include <filesystem>
#include <string>

namespace sotto {

class TempDirForTest {
 public:
  TempDirForTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "store-test-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  TempDirForTest(const TempDirForTest&) = delete;
  TempDirForTest& operator=(const TempDirForTest&) = delete;
  ~TempDirForTest() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace sotto

#endif  // SOTTO_STORE_TEMP_DIR_FOR_TEST_H_
