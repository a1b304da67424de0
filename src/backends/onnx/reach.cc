#include "backends/onnx/reach.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace sotto {
namespace {

using StringViewSet = std::unordered_set<std::string_view>;

// Work sample by sample, whatever the shape.
const StringViewSet& PointwiseOps() {
  static const auto* ops = new StringViewSet{
      "Abs",       "Add",        "Cast", "Ceil",  "Clip",  "Cos",         "Div",
      "Elu",       "Erf",        "Exp",  "Gelu",  "Floor", "HardSigmoid", "Identity",
      "LeakyRelu", "Log",        "Max",  "Min",   "Mul",   "Neg",         "PRelu",
      "Pow",       "Reciprocal", "Relu", "Round", "Selu",  "Sigmoid",     "Sign",
      "Sin",       "Softplus",   "Sqrt", "Sub",   "Tanh",  "Where"};
  return *ops;
}

// Ops over shapes, and over tensors made from shapes alone, whose result does not change along
// the time axis. Range, CumSum and NonZero are missing on purpose: they count positions.
const StringViewSet& FlatOps() {
  static const auto* ops = new StringViewSet{
      "Add",    "Cast",      "Concat", "ConstantOfShape", "Div",   "Equal", "Exp",  "Expand",
      "Gather", "Mul",       "Neg",    "Reshape",         "Shape", "Slice", "Sqrt", "Squeeze",
      "Sub",    "Unsqueeze", "Where",  "Identity"};
  return *ops;
}

Status NotLocal(const OnnxNode& node, std::string_view why) {
  return UnimplementedError("onnx: streaming through " + std::string(node.op_type) + ": " +
                            std::string(why));
}

// One number per 1-D convolution attribute, or its default.
std::optional<int64_t> One(const OnnxNode& node, std::string_view attribute, int64_t otherwise) {
  const std::vector<int64_t> values = node.IntsAttribute(attribute);
  if (values.empty()) {
    return otherwise;
  }
  return values.size() == 1 ? std::optional<int64_t>(values[0]) : std::nullopt;
}

struct ConvShape {
  int64_t kernel = 0;
  int64_t dilation = 1;
  int64_t stride = 1;
  int64_t pad_left = 0;
  int64_t pad_right = 0;
  int64_t output_padding = 0;
};

// No voice has kernels or strides near this; it keeps the sums below far from overflow.
constexpr int64_t kMaxConvSize = 1 << 16;

Result<ConvShape> ReadConvShape(const OnnxGraph& graph, const OnnxNode& node) {
  ConvShape shape;
  std::vector<int64_t> kernel = node.IntsAttribute("kernel_shape");
  if (kernel.empty() && node.inputs.size() > 1) {
    const std::optional<OnnxTensorHead> weight = graph.InitializerHead(node.inputs[1]);
    if (weight && weight->dims.size() == 3) {
      kernel = {weight->dims[2]};
    }
  }
  const std::vector<int64_t> pads = node.IntsAttribute("pads");
  const auto dilation = One(node, "dilations", 1);
  const auto stride = One(node, "strides", 1);
  const auto output_padding = One(node, "output_padding", 0);
  const std::string_view auto_pad = node.StringAttribute("auto_pad");
  if (kernel.size() != 1 || !dilation || !stride || !output_padding ||
      !(pads.empty() || pads.size() == 2) || !(auto_pad.empty() || auto_pad == "NOTSET") ||
      !node.IntsAttribute("output_shape").empty()) {
    return NotLocal(node, "not a plain one-dimensional convolution");
  }
  shape = {
      kernel[0],      *dilation, *stride, pads.empty() ? 0 : pads[0], pads.empty() ? 0 : pads[1],
      *output_padding};
  for (const int64_t size : {shape.kernel, shape.dilation, shape.stride}) {
    if (size < 1 || size > kMaxConvSize) {
      return NotLocal(node, "a size out of range");
    }
  }
  for (const int64_t size : {shape.pad_left, shape.pad_right, shape.output_padding}) {
    if (size < 0 || size > kMaxConvSize) {
      return NotLocal(node, "a padding out of range");
    }
  }
  return shape;
}

Result<Reach> ConvReach(const OnnxGraph& graph, const OnnxNode& node) {
  SOTTO_ASSIGN_OR_RETURN(const ConvShape shape, ReadConvShape(graph, node));
  const int64_t span = shape.dilation * (shape.kernel - 1);
  if (shape.stride != 1 || shape.pad_left + shape.pad_right != span) {
    return NotLocal(node, "the output is not as long as the input");
  }
  return Reach{1, shape.pad_left, span - shape.pad_left};
}

Result<Reach> ConvTransposeReach(const OnnxGraph& graph, const OnnxNode& node) {
  SOTTO_ASSIGN_OR_RETURN(const ConvShape shape, ReadConvShape(graph, node));
  if (shape.dilation != 1 ||
      shape.kernel - shape.pad_left - shape.pad_right + shape.output_padding != shape.stride) {
    return NotLocal(node, "the output is not a whole multiple of the input");
  }
  return Reach{shape.stride, std::max<int64_t>(0, shape.kernel - 1 - shape.pad_left),
               shape.pad_left};
}

// Whether the node picks or joins whole rows of the channel axis of [batch, channel, time].
bool IsChannelOp(const OnnxGraph& graph, const OnnxNode& node) {
  if (node.op_type == "Split" || node.op_type == "Concat" || node.op_type == "Gather") {
    return node.IntAttribute("axis").value_or(0) == 1;
  }
  if (node.op_type == "Slice" && node.inputs.size() >= 4) {
    return graph.ConstantInts(node.inputs[3]) == std::vector<int64_t>{1};
  }
  return false;
}

Result<Reach> NodeReach(const OnnxGraph& graph, const OnnxNode& node) {
  if (node.op_type == "Conv") {
    return ConvReach(graph, node);
  }
  if (node.op_type == "ConvTranspose") {
    return ConvTransposeReach(graph, node);
  }
  const bool is_view = node.op_type == "Unsqueeze" || node.op_type == "Squeeze";
  if (PointwiseOps().contains(node.op_type) || IsChannelOp(graph, node) || is_view) {
    return Reach{};
  }
  return NotLocal(node, "it looks at the whole phrase");
}

// What is known of a tensor on the way: its reach, or that it is the same at every time.
using TimeOrFlat = std::optional<Reach>;

Result<TimeOrFlat> OutputOf(const OnnxGraph& graph, const OnnxNode& node,
                            const std::unordered_map<std::string_view, TimeOrFlat>& known) {
  std::optional<Reach> joined;
  for (const std::string_view input : node.inputs) {
    const auto found = known.find(input);
    if (found == known.end() || !found->second) {
      continue;
    }
    const Reach& reach = *found->second;
    if (joined && joined->rate != reach.rate) {
      return NotLocal(node, "it joins two rates");
    }
    joined = joined ? Reach{reach.rate, std::max(joined->left, reach.left),
                            std::max(joined->right, reach.right)}
                    : reach;
  }
  if (!node.body_uses.empty()) {
    return NotLocal(node, "it has a body");
  }
  if (node.op_type == "Shape" || !joined) {
    if (!FlatOps().contains(node.op_type)) {
      return NotLocal(node, "it depends on the length");
    }
    return TimeOrFlat(std::nullopt);
  }
  SOTTO_ASSIGN_OR_RETURN(const Reach step, NodeReach(graph, node));
  return TimeOrFlat(Chain(*joined, step));
}

}  // namespace

Reach Chain(const Reach& first, const Reach& second) {
  return {first.rate * second.rate, first.left * second.rate + second.left,
          first.right * second.rate + second.right};
}

std::vector<int32_t> NodesBetween(const OnnxGraph& graph, std::string_view from,
                                  std::string_view to) {
  const auto num_nodes = graph.nodes().size();
  std::vector<bool> forward(num_nodes);
  std::vector<std::string_view> open{from};
  while (!open.empty()) {
    const std::string_view tensor = open.back();
    open.pop_back();
    for (const int32_t index : graph.ConsumersOf(tensor)) {
      if (!forward[static_cast<size_t>(index)]) {
        forward[static_cast<size_t>(index)] = true;
        const OnnxNode& node = graph.nodes()[static_cast<size_t>(index)];
        open.insert(open.end(), node.outputs.begin(), node.outputs.end());
      }
    }
  }
  std::vector<bool> both(num_nodes);
  open.assign({to});
  while (!open.empty()) {
    const std::string_view tensor = open.back();
    open.pop_back();
    const int32_t index = tensor == from ? -1 : graph.ProducerOf(tensor);
    if (index >= 0 && forward[static_cast<size_t>(index)] && !both[static_cast<size_t>(index)]) {
      both[static_cast<size_t>(index)] = true;
      const OnnxNode& node = graph.nodes()[static_cast<size_t>(index)];
      open.insert(open.end(), node.inputs.begin(), node.inputs.end());
      open.insert(open.end(), node.body_uses.begin(), node.body_uses.end());
    }
  }
  std::vector<int32_t> nodes;
  for (size_t i = 0; i < num_nodes; ++i) {
    if (both[i]) {
      nodes.push_back(static_cast<int32_t>(i));
    }
  }
  return nodes;
}

Result<Reach> ComputeReach(const OnnxGraph& graph, std::string_view from, std::string_view to) {
  std::unordered_map<std::string_view, TimeOrFlat> known;
  known.emplace(from, Reach{});
  for (const int32_t index : NodesBetween(graph, from, to)) {
    const OnnxNode& node = graph.nodes()[static_cast<size_t>(index)];
    SOTTO_ASSIGN_OR_RETURN(const TimeOrFlat output, OutputOf(graph, node, known));
    for (const std::string_view name : node.outputs) {
      known.emplace(name, output);
    }
  }
  const auto found = known.find(to);
  if (found == known.end()) {
    return InvalidArgumentError("onnx: reach of " + std::string(to) + ": it does not depend on " +
                                std::string(from));
  }
  if (!found->second) {
    return UnimplementedError("onnx: reach of " + std::string(to) +
                              ": it depends on the length only");
  }
  return *found->second;
}

}  // namespace sotto
