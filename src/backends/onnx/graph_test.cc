#include "backends/onnx/graph.h"

#include <gtest/gtest.h>

#include <random>

#include "backends/onnx/graph_test_util.h"
#include "backends/onnx/reach.h"
#include "backends/onnx/session.h"
#include "backends/onnx/surgery.h"
#include "backends/onnx/vits_plan.h"

namespace sotto {
namespace {

TEST(Wire, ReadsWhatItWrites) {
  std::string message;
  WireWriter writer(message);
  writer.Varint(1, 0);
  writer.Varint(300, 0xffffffffffffffffull);
  writer.Bytes(2, "abc");
  WireReader reader(message);
  WireField field;
  ASSERT_TRUE(reader.Next(field));
  EXPECT_EQ(field.number, 1u);
  ASSERT_TRUE(reader.Next(field));
  EXPECT_EQ(field.number, 300u);
  EXPECT_EQ(field.value, 0xffffffffffffffffull);
  ASSERT_TRUE(reader.Next(field));
  EXPECT_EQ(field.bytes, "abc");
  EXPECT_EQ(field.raw, message.substr(message.size() - 5));
  EXPECT_FALSE(reader.Next(field));
  EXPECT_TRUE(reader.status().ok());
}

TEST(Wire, MalformedBytesEndTheReading) {
  using namespace std::string_literals;
  for (const std::string& message :
       {"\x0a\x05"s + "abc",                                      // length beyond the end
        "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"s + "abc",  // length near 2^64
        "\x08"s,                                                  // no varint
        "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"s,  // varint too long
        "\x03"s, "\x04"s, "\x07"s,                                // groups, unknown wire type
        "\x00\x01"s,                                              // field 0
        "\x0d\x01\x02"s, "\x09\x01\x02\x03"s}) {                  // fixed cut short
    WireReader reader(message);
    WireField field;
    while (reader.Next(field)) {
    }
    EXPECT_EQ(reader.status().code(), Code::kDataLoss);
  }
}

// x -> Conv -> h; noise -> Add -> y; z = y * weight.
std::string SmallModel() {
  return TestModel()
      .Input("x", {1, 1, -1})
      .Floats("kernel", {1, 1, 3}, {1.0f, 2.0f, 3.0f})
      .Floats("weight", {1}, {10.0f})
      .Floats("unused", {4}, {1.0f, 2.0f, 3.0f, 4.0f})
      .Node("Conv", {"x", "kernel"}, {"h"}, {{"kernel_shape", 0, {3}}, {"pads", 0, {1, 1}}})
      .Node("RandomNormalLike", {"h"}, {"noise"})
      .Node("Add", {"h", "noise"}, {"y"})
      .Node("Mul", {"y", "weight"}, {"z"})
      .Output("z")
      .Build();
}

TEST(Surgery, ARandomNodeBecomesAnInput) {
  const std::string model = SmallModel();
  const Result<OnnxGraph> graph = OnnxGraph::Parse(model);
  ASSERT_TRUE(graph.ok()) << graph.status().ToString();
  const Result<std::string> part = ExtractSubmodel(
      *graph, {{{"x", OnnxType::kFloat, {1, 1, -1}}, {"noise", OnnxType::kFloat, {1, 1, -1}}},
               {{"z", OnnxType::kFloat, {}}}});
  ASSERT_TRUE(part.ok()) << part.status().ToString();
  const Result<OnnxGraph> cut = OnnxGraph::Parse(*part);
  ASSERT_TRUE(cut.ok());
  EXPECT_EQ(cut->nodes().size(), 3u) << "the random node is gone";
  EXPECT_EQ(cut->initializers().size(), 2u) << "each weight only where it is needed";
  const auto session = Session::Load(*part, "test", {});
  ASSERT_TRUE(session.ok()) << session.status().ToString();
  const std::vector<float> x{1.0f, 0.0f, 0.0f, 2.0f};
  const std::vector<float> noise{0.5f, 0.0f, 0.0f, 0.0f};
  const std::vector<TensorView> inputs{TensorView(std::span<const float>(x), {1, 1, 4}),
                                       TensorView(std::span<const float>(noise), {1, 1, 4})};
  const auto outputs = (*session)->Run(inputs);
  ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
  const auto values = (*outputs)[0].values();
  EXPECT_EQ(std::vector<float>(values.begin(), values.end()),
            (std::vector<float>{25.0f, 10.0f, 60.0f, 40.0f}));
}

TEST(Surgery, TwoHalvesMakeTheWhole) {
  const std::string model = SmallModel();
  const Result<OnnxGraph> graph = OnnxGraph::Parse(model);
  ASSERT_TRUE(graph.ok());
  const auto first = ExtractSubmodel(
      *graph, {{{"x", OnnxType::kFloat, {1, 1, -1}}}, {{"h", OnnxType::kFloat, {}}}});
  const auto second = ExtractSubmodel(
      *graph, {{{"y", OnnxType::kFloat, {1, 1, -1}}}, {{"z", OnnxType::kFloat, {}}}});
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(OnnxGraph::Parse(*first)->nodes().size(), 1u);
  EXPECT_EQ(OnnxGraph::Parse(*second)->nodes().size(), 1u);
  EXPECT_TRUE(Session::Load(*first, "first", {}).ok());
  EXPECT_TRUE(Session::Load(*second, "second", {}).ok());
}

TEST(Surgery, SaysWhatIsMissing) {
  const std::string model = SmallModel();
  const Result<OnnxGraph> graph = OnnxGraph::Parse(model);
  ASSERT_TRUE(graph.ok());
  const auto no_output = ExtractSubmodel(*graph, {{}, {{"nowhere", OnnxType::kFloat, {}}}});
  EXPECT_EQ(no_output.status().code(), Code::kInvalidArgument);
  EXPECT_NE(no_output.status().message().find("nowhere"), std::string::npos);
  const auto no_input = ExtractSubmodel(*graph, {{}, {{"h", OnnxType::kFloat, {}}}});
  EXPECT_EQ(no_input.status().code(), Code::kInvalidArgument);
  EXPECT_NE(no_input.status().message().find("part needs x"), std::string::npos);
}

TEST(Graph, DamagedModelsAreErrorsAndNeverCrash) {
  const std::string model = SmallModel();
  std::mt19937 random(1);
  for (int round = 0; round < 3000; ++round) {
    std::string damaged = model;
    const int changes = 1 + static_cast<int>(random() % 4);
    for (int i = 0; i < changes; ++i) {
      damaged[random() % damaged.size()] = static_cast<char>(random());
    }
    if (random() % 4 == 0) {
      damaged.resize(random() % damaged.size());
    }
    const Result<OnnxGraph> graph = OnnxGraph::Parse(damaged);
    if (graph.ok()) {
      (void)PlanVits(*graph, "");
      (void)ComputeReach(*graph, "x", "z").ok();
      (void)ExtractSubmodel(*graph, {{{"x", OnnxType::kFloat, {}}}, {{"z", OnnxType::kFloat, {}}}})
          .ok();
    }
  }
}

TEST(Graph, ATensorMadeTwiceIsRefused) {
  const std::string model =
      TestModel().Input("x", {1}).Node("Neg", {"x"}, {"y"}).Node("Exp", {"x"}, {"y"}).Build();
  EXPECT_EQ(OnnxGraph::Parse(model).status().code(), Code::kDataLoss);
}

TEST(Graph, NotAModelIsRefused) {
  for (const std::string& bytes : {std::string(), std::string("hello"), std::string(1000, '\0')}) {
    EXPECT_EQ(OnnxGraph::Parse(bytes).status().code(), Code::kDataLoss);
  }
}

Result<Reach> ReachOf(TestModel& model) {
  const std::string bytes = model.Input("x", {1, 4, -1}).Output("y").Build();
  const Result<OnnxGraph> graph = OnnxGraph::Parse(bytes);
  return graph.ok() ? ComputeReach(*graph, "x", "y") : Result<Reach>(graph.status());
}

TEST(ReachTest, ConvolutionsAddUp) {
  TestModel model;
  model.Node("Conv", {"x", "w"}, {"a"},
             {{"kernel_shape", 0, {5}}, {"pads", 0, {8, 8}}, {"dilations", 0, {4}}});
  model.Node("Tanh", {"a"}, {"b"});
  model.Node("Add", {"b", "x"}, {"c"});
  model.Node("Conv", {"c", "w"}, {"y"}, {{"kernel_shape", 0, {3}}, {"pads", 0, {2, 0}}});
  const Result<Reach> reach = ReachOf(model);
  ASSERT_TRUE(reach.ok()) << reach.status().ToString();
  EXPECT_EQ(*reach, (Reach{1, 10, 8}));
}

TEST(ReachTest, UpsamplingIsCountedInOutputSamples) {
  TestModel model;
  model.Node("Conv", {"x", "w"}, {"a"}, {{"kernel_shape", 0, {3}}, {"pads", 0, {1, 1}}});
  model.Node("ConvTranspose", {"a", "w"}, {"y"},
             {{"kernel_shape", 0, {16}}, {"pads", 0, {4, 4}}, {"strides", 0, {8}}});
  const Result<Reach> reach = ReachOf(model);
  ASSERT_TRUE(reach.ok()) << reach.status().ToString();
  EXPECT_EQ(*reach, (Reach{8, 8 + 11, 8 + 4}));
}

TEST(ReachTest, ShapesDoNotCountAsTime) {
  TestModel model;
  model.Node("Shape", {"x"}, {"s"});
  model.Node("ConstantOfShape", {"s"}, {"zeros"});
  model.Node("Add", {"x", "zeros"}, {"y"});
  const Result<Reach> reach = ReachOf(model);
  ASSERT_TRUE(reach.ok()) << reach.status().ToString();
  EXPECT_EQ(*reach, (Reach{1, 0, 0}));
}

TEST(ReachTest, WhatLooksEverywhereIsRefused) {
  const std::vector<TestAttribute> strided{{"kernel_shape", 0, {3}}, {"strides", 0, {2}}};
  const std::vector<TestAttribute> shrinking{{"kernel_shape", 0, {3}}};
  const std::vector<TestAttribute> huge{{"kernel_shape", 0, {int64_t{1} << 62}}};
  for (const auto& [op, attributes] :
       std::vector<std::pair<std::string, std::vector<TestAttribute>>>{
           {"Softmax", {}},
           {"InstanceNormalization", {}},
           {"LSTM", {}},
           {"CumSum", {}},
           {"Split", {{"axis", 2, {}}}},
           {"Conv", strided},
           {"Conv", shrinking},
           {"Conv", huge}}) {
    TestModel model;
    model.Node(op, {"x", "w"}, {"y"}, attributes);
    EXPECT_EQ(ReachOf(model).status().code(), Code::kUnimplemented) << op;
  }
}

TEST(SessionTest, ErrorsAreValues) {
  EXPECT_EQ(Session::Load("not a model", "junk", {}).status().code(), Code::kDataLoss);
  EXPECT_EQ(Session::Load(SmallModel(), "small", {.num_threads = 0, .log = {}}).status().code(),
            Code::kInvalidArgument);
  const std::string model =
      TestModel().Input("x", {1, 2}).Node("Neg", {"x"}, {"y"}).Output("y").Build();
  const auto session = Session::Load(model, "neg", {});
  ASSERT_TRUE(session.ok()) << session.status().ToString();
  const std::vector<float> x{1.0f, 2.0f, 3.0f};
  const std::vector<int64_t> ints{1, 2};
  const std::vector<std::vector<TensorView>> bad{
      {},
      {TensorView(std::span<const float>(x), {1, 3})},
      {TensorView(std::span<const float>(x), {1, 2})},
      {TensorView(std::span<const float>(x), {-1, 2})},
      {TensorView(std::span<const int64_t>(ints), {1, 2})}};
  for (const auto& inputs : bad) {
    EXPECT_EQ((*session)->Run(inputs).status().code(), Code::kInvalidArgument);
  }
  const std::vector<TensorView> good{TensorView(std::span<const float>(x).first(2), {1, 2})};
  const auto outputs = (*session)->Run(good);
  ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
  EXPECT_EQ((*outputs)[0].values()[1], -2.0f);
}

TEST(SessionTest, AThrownSwitchStopsARun) {
  const std::string model =
      TestModel().Input("x", {1, 2}).Node("Neg", {"x"}, {"y"}).Output("y").Build();
  const auto session = Session::Load(model, "neg", {});
  const auto stop = RunSwitch::Create();
  ASSERT_TRUE(session.ok() && stop.ok());
  const std::vector<float> x{1.0f, 2.0f};
  const std::vector<TensorView> inputs{TensorView(std::span<const float>(x), {1, 2})};
  (*stop)->Terminate();
  EXPECT_EQ((*session)->Run(inputs, stop->get()).status().code(), Code::kCancelled);
  (*stop)->Reset();
  EXPECT_TRUE((*session)->Run(inputs, stop->get()).ok());
}

// A session that is never released must not disturb the end of the process.
TEST(Case149, ExitWithoutRelease) {
  // A fresh process: a fork of one that has used the runtime lacks its threads.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        auto session = Session::Load(SmallModel(), "small", {.num_threads = 2, .log = {}});
        auto* leaked = session.ok() ? session->release() : nullptr;
        std::exit(leaked != nullptr ? 7 : 8);  // NOLINT(concurrency-mt-unsafe)
      },
      testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace sotto
