#include "convert/tiny_sources.h"

#include <cmath>
#include <string_view>
#include <utility>

namespace sotto {
namespace {

template <typename T>
void Put(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

// Smooth numbers within +-0.1, so that quantisation has something to do.
float Weight(uint64_t i) { return 0.1f * std::sin(static_cast<float>(i % 997)); }

class Ct2 {
 public:
  Ct2(uint32_t vocab, bool is_int8) : is_int8_(is_int8) {
    const uint32_t d = 64;
    Matrix("encoder/conv1/weight", {d, 80, 3});
    Vector("encoder/conv1/bias", d);
    Matrix("encoder/conv2/weight", {d, d, 3});
    Vector("encoder/conv2/bias", d);
    Floats("encoder/position_encodings/encodings", {1500, d});
    Floats("decoder/position_encodings/encodings", {448, d});
    Matrix("decoder/embeddings/weight", {vocab, d});
    Layer("encoder/layer_0", false);
    Layer("decoder/layer_0", true);
    Norm("encoder/layer_norm");
    Norm("decoder/layer_norm");
    Setting("decoder/num_heads");
  }

  std::string Finish() const {
    std::string out;
    Put<uint32_t>(out, 6);
    PutName(out, "WhisperSpec");
    Put<uint32_t>(out, 3);
    Put<uint32_t>(out, count_);
    out += body_;
    Put<uint32_t>(out, 1);
    PutName(out, "decoder/projection/weight");
    PutName(out, "decoder/embeddings/weight");
    return out;
  }

 private:
  static void PutName(std::string& out, std::string_view name) {
    Put<uint16_t>(out, static_cast<uint16_t>(name.size() + 1));
    out += name;
    out += '\0';
  }
  void Variable(std::string_view name, const std::vector<uint32_t>& dims, uint8_t type,
                std::string_view data) {
    PutName(body_, name);
    body_ += static_cast<char>(dims.size());
    for (const uint32_t dim : dims) {
      Put(body_, dim);
    }
    body_ += static_cast<char>(type);
    Put(body_, static_cast<uint32_t>(data.size()));
    body_ += data;
    ++count_;
  }
  static uint64_t Elements(const std::vector<uint32_t>& dims) {
    uint64_t elements = 1;
    for (const uint32_t dim : dims) {
      elements *= dim;
    }
    return elements;
  }
  void Floats(std::string_view name, const std::vector<uint32_t>& dims) {
    std::string data;
    for (uint64_t i = 0; i < Elements(dims); ++i) {
      Put(data, Weight(i));
    }
    Variable(name, dims, 0, data);
  }
  void Matrix(const std::string& name, const std::vector<uint32_t>& dims) {
    if (!is_int8_) {
      Floats(name, dims);
      return;
    }
    std::string data;
    for (uint64_t i = 0; i < Elements(dims); ++i) {
      data += static_cast<char>(static_cast<int8_t>(Weight(i) * 1000.0f));
    }
    Variable(name, dims, 1, data);
    std::string scales;
    for (uint32_t row = 0; row < dims[0]; ++row) {
      Put(scales, 1000.0f);
    }
    Variable(name + "_scale", {dims[0]}, 0, scales);
  }
  void Vector(std::string_view name, uint32_t size) { Floats(name, {size}); }
  void Setting(std::string_view name) { Variable(name, {}, 2, std::string("\x01\0", 2)); }
  void Norm(const std::string& name) {
    Vector(name + "/gamma", 64);
    Vector(name + "/beta", 64);
  }
  void Linear(const std::string& name, uint32_t out, uint32_t in) {
    Matrix(name + "/weight", {out, in});
    Vector(name + "/bias", out);
  }
  void Layer(const std::string& name, bool has_cross) {
    Norm(name + "/self_attention/layer_norm");
    Linear(name + "/self_attention/linear_0", 192, 64);
    Linear(name + "/self_attention/linear_1", 64, 64);
    if (has_cross) {
      Norm(name + "/attention/layer_norm");
      Linear(name + "/attention/linear_0", 64, 64);
      Linear(name + "/attention/linear_1", 128, 64);
      Linear(name + "/attention/linear_2", 64, 64);
    }
    Norm(name + "/ffn/layer_norm");
    Linear(name + "/ffn/linear_0", 256, 64);
    Linear(name + "/ffn/linear_1", 64, 256);
  }

  bool is_int8_;
  std::string body_;
  uint32_t count_ = 0;
};

// Pickle instructions, protocol 2.
std::string Proto() { return "\x80\x02"; }
std::string Text(std::string_view text) {
  std::string out = "X";
  Put(out, static_cast<uint32_t>(text.size()));
  return out.append(text);
}
std::string Int(uint32_t number) {
  std::string out = "J";
  Put(out, number);
  return out;
}

}  // namespace

std::string MakeTinyCt2(uint32_t vocab, bool is_int8) { return Ct2(vocab, is_int8).Finish(); }

std::string MakeTinyVocabulary(uint32_t vocab) {
  std::string out;
  for (uint32_t i = 0; i < vocab; ++i) {
    // U+0120 stands for a blank, and the first token is one.
    out += i == 0 ? "\xC4\xA0\n" : "\xC4\xA0t" + std::to_string(i) + "\n";
  }
  return out;
}

std::string MakeTinySafetensors() {
  const uint32_t d = 64;
  std::vector<std::pair<std::string, std::vector<uint32_t>>> tensors{
      {"embeddings.word_embeddings.weight", {40, d}},
      {"embeddings.position_embeddings.weight", {32, d}},
      {"embeddings.token_type_embeddings.weight", {2, d}},
      {"embeddings.LayerNorm.weight", {d}},
      {"embeddings.LayerNorm.bias", {d}},
      {"pooler.dense.bias", {d}}};
  const auto add = [&](const std::string& name, const std::vector<uint32_t>& weight) {
    tensors.push_back({"encoder.layer.0." + name + ".weight", weight});
    tensors.push_back({"encoder.layer.0." + name + ".bias", {weight[0]}});
  };
  for (const char* name : {"attention.self.query", "attention.self.key", "attention.self.value",
                           "attention.output.dense"}) {
    add(name, {d, d});
  }
  add("attention.output.LayerNorm", {d});
  add("intermediate.dense", {96, d});
  add("output.dense", {d, 96});
  add("output.LayerNorm", {d});
  std::string header = R"({"__metadata__":{"format":"pt"})";
  std::string data;
  for (const auto& [name, dims] : tensors) {
    const size_t begin = data.size();
    uint32_t elements = 1;
    std::string shape;
    for (const uint32_t dim : dims) {
      elements *= dim;
      shape += (shape.empty() ? "" : ",") + std::to_string(dim);
    }
    for (uint32_t i = 0; i < elements; ++i) {
      Put(data, Weight(i));
    }
    header += ",\"" + name + R"(":{"dtype":"F32","shape":[)" + shape + R"(],"data_offsets":[)" +
              std::to_string(begin) + "," + std::to_string(data.size()) + "]}";
  }
  header += "}";
  std::string out;
  Put<uint64_t>(out, header.size());
  return out + header + data;
}

std::string MakeTinyConfig() {
  return R"({"hidden_size": 64, "intermediate_size": 96, "layer_norm_eps": 1e-12,
             "max_position_embeddings": 32, "num_attention_heads": 2, "num_hidden_layers": 1,
             "type_vocab_size": 2, "vocab_size": 40})";
}

std::string MakeTinyVocabTxt() {
  std::string out = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n";
  for (int i = 5; i < 40; ++i) {
    out += (i % 2 == 0 ? "##p" : "w") + std::to_string(i) + "\n";
  }
  return out;
}

std::string MakeTinyTorch(int layers) {
  std::vector<std::pair<std::string, std::vector<uint32_t>>> tensors;
  for (int layer = 0; layer < layers; ++layer) {
    const std::string n = "_l" + std::to_string(layer);
    tensors.push_back({"lstm.weight_ih" + n, {1024, layer == 0 ? 40u : 256u}});
    tensors.push_back({"lstm.weight_hh" + n, {1024, 256}});
    tensors.push_back({"lstm.bias_ih" + n, {1024}});
    tensors.push_back({"lstm.bias_hh" + n, {1024}});
  }
  tensors.push_back({"linear.weight", {256, 256}});
  tensors.push_back({"linear.bias", {256}});
  const std::string empty = Proto() + "}.";
  std::string state = "ccollections\nOrderedDict\n)R(";
  std::string keys = Proto() + "](";
  std::string storages;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const auto& [name, dims] = tensors[i];
    uint32_t elements = 1;
    std::string size = "(";
    std::string stride = "(";
    for (const uint32_t dim : dims) {
      elements *= dim;
      size += Int(dim);
    }
    uint32_t step = elements;
    for (const uint32_t dim : dims) {
      step /= dim;
      stride += Int(step);
    }
    state += Text(name) + "ctorch._utils\n_rebuild_tensor_v2\n((" + Text("storage") +
             "ctorch\nFloatStorage\n" + Text(std::to_string(i)) + Text("cpu") + Int(elements) +
             "NtQ" + Int(0) + size + "t" + stride + "t" + "\x89" + "}tR";
    keys += Text(std::to_string(i));
    Put<uint64_t>(storages, elements);
    for (uint32_t e = 0; e < elements; ++e) {
      Put(storages, Weight(e));
    }
  }
  const std::string object =
      Proto() + "}(" + Text("step") + Int(7) + Text("model_state") + state + "uu.";
  return empty + empty + empty + object + keys + "e." + storages;
}

std::string MakeHostilePickle() { return Proto() + "cos\nsystem\n(" + Text("true") + "tR."; }

}  // namespace sotto
