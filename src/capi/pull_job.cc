#include "capi/pull_job.h"

#include <utility>

namespace sotto::capi {

PullJob::PullJob(const Store& store, std::vector<std::string> ids)
    : store_(store), ids_(std::move(ids)), events_(1) {
  worker_ = std::thread(&PullJob::Run, this);
}

PullJob::~PullJob() {
  Cancel(CancelReason::kShutdown);
  worker_.join();
}

void PullJob::Run() {
  PullOptions options;
  options.on_event = [this](const PullEvent& event) {
    events_.PushMerged(event, [](PullEvent& back, PullEvent& item) {
      const bool same = back.type == PullEvent::Type::kProgress &&
                        item.type == PullEvent::Type::kProgress && back.model == item.model &&
                        back.file == item.file;
      if (same) {
        back = std::move(item);
      }
      return same;
    });
  };
  const Result<PullReport> report = store_.Pull(ids_, options, cancel_.token());
  if (report.ok()) {
    for (const std::string& warning : report->warnings) {
      PullEvent event;
      event.type = PullEvent::Type::kNote;
      event.text = warning;
      events_.PushAlways(std::move(event));
    }
  }
  done_ = true;
  events_.Close(report.status());
}

}  // namespace sotto::capi
