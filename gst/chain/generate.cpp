// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Every stage k of a pass becomes functions of a pixel's position. glcl_read_k returns the stage's
// input from a picture, a tile or the previous stage. glcl_stage_k returns its result, in levels.
// Their first arguments are the kernel's data: pictures, the current tile, the size, the values.
// For stages of a Map they compute the map instead, and their position is the current level.
// glcl_mapped_k looks the level up in the map.
#include "generate.h"

#include <glib.h>

#include <algorithm>
#include <map>

#include "cube.h"
#include "opencl/source.h"

namespace glcl::chain {

namespace {

template <class Integer>
std::string text_of(Integer number) {
  return std::to_string(number);
}

std::string literal(double value) {
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  g_ascii_formatd(number, sizeof number, "%.9e", static_cast<float>(value));
  return "(" + std::string(number) + "f)";
}

std::string quoted(const std::string &text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\' || c == '?') quoted += '\\';  // ? could start a trigraph
    quoted += g_ascii_iscntrl(c) ? ' ' : c;
  }
  return quoted + "\"";
}

/// The numbers that a filter's kernels read, in one order.
struct Numbers {
  std::vector<double> parameters;
  std::vector<std::vector<double>> tables;
  std::vector<double> first, second, offset;  // weights: matrix or row, column

  Numbers(const Item &item) {
    const Filter &filter = *item.filter;
    parameters = item.values.numbers;
    for (const Table &table : filter.tables) tables.push_back(filter.table_for(table, item.values));
    if (!filter.weights) return;
    const Matrix weights = filter.weights_for(item.values);
    SeparableFactors parts;
    if (separate(weights, parts)) {
      first = parts.row;
      second = parts.column;
    } else {
      first = weights.values;
    }
    offset = {255 * filter.offset.evaluate(filter.scope(item.values))};
  }

  /// Calls `use` with the name and numbers of each part.
  template <class Use>
  void each(const Use &use) const {
    use("parameters", parameters);
    for (size_t t = 0; t < tables.size(); t++) use("table" + text_of(t), tables[t]);
    use("first", first);
    use("second", second);
    use("offset", offset);
  }
};

/// The tables of colours of a chain, each once, in the order of their points on the device.
std::vector<const ColourTable *> tables_of(const Description &chain) {
  std::vector<const ColourTable *> tables;
  for (const Item &item : chain.items)
    if (item.filter->cube)
      for (const ColourTable *table : {&item.filter->cube->curve, &item.filter->cube->lattice})
        if (table->size && std::find(tables.begin(), tables.end(), table) == tables.end())
          tables.push_back(table);
  return tables;
}

class Generator {
 public:
  Generator(const Description &chain, const std::vector<Stage> &stages,
            const std::vector<Pass> &passes, const CodegenOptions &options)
      : chain_(chain), stages_(stages), passes_(passes), options_(options) {}

  std::string generate() {
    text_ = kernel_source("chain/chain.clh");
    if (reads_cycle()) text_ += kernel_source("chain/cycle.clh");
    if (chain_.reads_picture()) text_ += kernel_source("chain/picture.clh");
    constants();
    text_ += "#define GLCL_MAP(part, c) (glcl_maps[" + text_of(map_bytes) +
             " * (part) + 256 * (c) + (int)level.s##c])\n";
    if (keeps_input(stages_, options_.frame)) keep();
    for (size_t p = 0; p < passes_.size(); p++) pass(p);
    return text_;
  }

 private:
  bool reads_cycle() const {
    return std::any_of(chain_.items.begin(), chain_.items.end(),
                       [](const Item &item) { return item.filter->reads("cycle"); });
  }

  std::string names(size_t item, const std::string &part) const {
    return "glcl_item_" + text_of(item) + "_" + part;
  }

  /// Defines each part of the values: an array of constants, or a macro for an offset in the buffer
  /// of values. Lists are always constants. Tables never are: in constant memory, work-items that
  /// read different entries wait for each other.
  void constants() {
    text_ += "#line 1 \"constants\"\n";
    size_t at = 0;
    for (size_t i = 0; i < chain_.items.size(); i++) {
      Numbers(chain_.items[i])
          .each([&](const std::string &part, const std::vector<double> &numbers) {
            if (numbers.empty()) return;
            const bool table = part.rfind("table", 0) == 0;
            if (table || options_.live)
              text_ += "#define " + names(i, part) +
                       (table ? " (glcl_tables + " : " (glcl_values + ") + text_of(at) + ")\n";
            else
              array(names(i, part), numbers);
            at += numbers.size();
          });
      const auto &lists = chain_.items[i].values.lists;
      for (size_t l = 0; l < lists.size(); l++)
        array(names(i, "list" + text_of(l)), lists[l].values);
    }
  }

  void array(const std::string &name, const std::vector<double> &numbers) {
    text_ += "__constant float " + name + "[" + text_of(numbers.size()) + "] = {";
    for (size_t n = 0; n < numbers.size(); n++)
      text_ += (n % 8 ? ", " : n ? ",\n  " : "\n  ") + literal(numbers[n]);
    text_ += "};\n";
  }

  bool exact_before(size_t stage) const { return stage > 0 && stages_[stage - 1].exact; }
  std::string texel(size_t stage) const { return exact_before(stage) ? "float4" : "glcl_texel"; }

  /// Sets the parameters that all functions of a pass share, and the matching arguments.
  void share(const Pass &pass) {
    std::string declared, given;
    const auto add = [&](const std::string &type, const std::string &name) {
      declared += type + " " + name + ", ";
      given += name + ", ";
    };
    // Pass earlier frames, and planes that are images, as buffers: if functions take two images,
    // Mesa's rusticl reads the first one twice (common/pixel.clh).
    for (int n = 0; n < stages_[pass.first].frames; n++) {
      const std::string name = "glcl_in" + text_of(n);
      if (is_planes(pass, n)) {
        declared += "IN_PLANES(" + name + "), ";
        given += "PLANES(" + name + "), ";
      } else if (is_image(pass, n)) {
        add("__read_only image2d_t", name);
      } else {
        add("__global const " + texel(pass.first) + " *", name);
        add("const int", name + "_pitch");
      }
    }
    sources_ = declared;
    add("const int", "width");
    add("const int", "height");
    add("__constant const float *", "glcl_values");
    add("__global const float *", "glcl_tables");
    add("__global const float4 *", "glcl_cubes");
    add("__global const uchar *", "glcl_maps");
    if (reads_moment(chain_, stages_, pass)) {
      add("const float2", "glcl_time");
      add("const int", "glcl_frame");
    }
    if (reads_picture(chain_, stages_, pass)) {
      add("__global const uchar4 *", "glcl_picture");
      add("const int", "glcl_picture_pitch");
      add("const int2", "glcl_picture_size");
      add("const float2", "glcl_picture_scale");
    }
    add("__local const uint *", "glcl_tile");
    add("const int2", "glcl_origin");
    share(declared, given);
  }

  void share(const std::string &declared, const std::string &given) {
    text_ += "#undef GLCL_DECLARED\n#undef GLCL_GIVEN\n#define GLCL_DECLARED " + declared +
             "\n#define GLCL_GIVEN " + given + "\n";
  }

  void share_map() {
    share(
        "__constant const float *glcl_values, __global const float *glcl_tables, "
        "__global const float4 *glcl_cubes, ",
        "glcl_values, glcl_tables, glcl_cubes, ");
  }

  /// The Map of a pass that contains a stage, or null.
  static const Map *map_of(const Pass &pass, size_t stage) {
    for (const Map &map : pass.maps)
      if (map.first <= stage && stage <= map.last) return &map;
    return nullptr;
  }

  /// Name of the function that returns a stage's result at a pixel.
  std::string result(const Pass &pass, size_t stage) const {
    return (map_of(pass, stage) ? "glcl_mapped_" : "glcl_stage_") + text_of(stage);
  }

  /// True if an input of a pass is the frame itself, and the frame has planes.
  bool is_frame_of_planes(const Pass &pass, int frame) const {
    return planes_ && pass.first == 0 && frame == 0;
  }
  bool is_planes(const Pass &pass, int frame) const {
    return is_frame_of_planes(pass, frame) && options_.frame.layout == Layout::buffer;
  }
  bool is_image(const Pass &pass, int frame) const {
    return frame == 0 && options_.frame.layout == Layout::image && !is_frame_of_planes(pass, frame);
  }
  /// The macro that loads a pixel of a pass' input.
  std::string load(const Pass &pass) const {
    return exact_before(pass.first)      ? "GLCL_EXACT"
           : is_planes(pass, 0)          ? "GLCL_OF_PLANES"
           : is_frame_of_planes(pass, 0) ? "GLCL_KEPT"
                                         : "GLCL_LEVELS";
  }

  void keep() {
    text_ +=
        "__kernel void glcl_keep(IN_PLANES(in), __global glcl_texel *out, int out_pitch, int "
        "width, int height) {\n  const int x = get_global_id(0), y = get_global_id(1);\n"
        "  if (x < width && y < height) out[y * out_pitch + x] = "
        "GLCL_TEXEL(GLCL_OF_PLANES(in, x, y));\n}\n";
  }

  std::string tile_width(const Segment &segment) const {
    return text_of(options_.shape.width() + 2 * segment.rim_x);
  }

  /// The stages of a Map, the kernel that computes it, and the function that looks it up.
  void map(const Map &map, const Pass &pass, const Segment &segment) {
    const std::string number = text_of(maps_), last = text_of(map.last);
    share_map();
    for (size_t k = map.first; k <= map.last; k++) {
      text_ += "inline float4 glcl_read_" + text_of(k) +
               "(GLCL_DECLARED int glcl_level) {\n  return " +
               (k == map.first ? "(float4)(glcl_level)"
                               : "glcl_stage_" + text_of(k - 1) + "(GLCL_GIVEN glcl_level)") +
               ";\n}\n";
      function(k, true);
    }
    text_ += "__kernel void glcl_map_" + number +
             "(GLCL_DECLARED __global uchar *maps) {\n  const int level = get_global_id(0);\n"
             "  if (level > 255) return;\n  const uchar4 to = convert_uchar4(glcl_stage_" +
             last + "(GLCL_GIVEN level));\n";
    const std::string to[] = {"x", "y", "z", "w"};
    for (size_t c = 0; c < 4; c++)
      text_ += "  maps[" + text_of(maps_ * map_bytes + 256 * c) + " + level] = to." + to[c] + ";\n";
    text_ += "}\n";
    share(pass);
    read(map.first, pass, segment, "glcl_source_");
    text_ += "inline float4 glcl_mapped_" + last +
             "(GLCL_DECLARED int x, int y) {\n  const float4 level = glcl_source_" +
             text_of(map.first) + "(GLCL_GIVEN x, y);\n  return (float4)(GLCL_MAP(" + number +
             ", 0), GLCL_MAP(" + number + ", 1), GLCL_MAP(" + number + ", 2), GLCL_MAP(" + number +
             ", 3));\n}\n";
    maps_++;
  }

  void read(size_t k, const Pass &pass, const Segment &segment,
            const std::string &name = "glcl_read_") {
    const std::string edge = "  x = clamp(x, 0, width - 1);\n  y = clamp(y, 0, height - 1);\n";
    text_ += "inline float4 " + name + text_of(k) + "(GLCL_DECLARED int x, int y) {\n";
    if (k == segment.first && segment.tile) {
      const std::string cell = "((__local const " + texel(k) +
                               " *)glcl_tile)[(y - glcl_origin.y + " + text_of(segment.rim_y) +
                               ") * " + tile_width(segment) + " + x - glcl_origin.x + " +
                               text_of(segment.rim_x) + "]";
      text_ += "  return " + (exact_before(k) ? cell : "GLCL_OF_TEXEL(" + cell + ")") + ";\n}\n";
    } else if (k == pass.first) {
      text_ += edge + "  return " + load(pass) + "(glcl_in0, x, y);\n}\n";
      earlier(pass, k);
    } else {
      text_ += (stages_[k].reads_around() ? edge : "") + "  return " + result(pass, k - 1) +
               "(GLCL_GIVEN x, y);\n}\n";
    }
  }

  void earlier(const Pass &pass, size_t k) {
    const int frames = stages_[k].frames;
    if (frames == 1) return;
    text_ += "inline float4 glcl_earlier_" + text_of(k) +
             "(GLCL_DECLARED int n, int x, int y) {\n  x = clamp(x, 0, width - 1);\n"
             "  y = clamp(y, 0, height - 1);\n";
    for (int n = frames - 1; n > 0; n--)
      text_ +=
          "  if (n >= " + text_of(n) + ") return GLCL_KEPT(glcl_in" + text_of(n) + ", x, y);\n";
    text_ += "  return " + load(pass) + "(glcl_in0, x, y);\n}\n";
  }

  void convolution(size_t k) {
    const Stage &stage = stages_[k];
    const std::string first = names(stage.item, "first"), second = names(stage.item, "second");
    const std::string rx = text_of(stage.radius_x), ry = text_of(stage.radius_y);
    const std::string read = "glcl_read_" + text_of(k) + "(GLCL_GIVEN ";
    const std::string unroll = stage.taps() <= 49 ? "#pragma unroll\n" : "";
    const std::string along_x = unroll + "  for (int i = -" + rx + "; i <= " + rx + "; i++)\n",
                      along_y = unroll + "  for (int j = -" + ry + "; j <= " + ry + "; j++)\n";
    text_ += "inline float4 glcl_stage_" + text_of(k) +
             "(GLCL_DECLARED int x, int y) {\n  float3 sum = 0.0f;\n";
    if (stage.kind == Stage::Kind::rows)
      text_ += along_x + "    sum += " + first + "[i + " + rx + "] * " + read + "x + i, y).xyz;\n";
    else if (stage.kind == Stage::Kind::columns)
      text_ += along_y + "    sum += " + second + "[j + " + ry + "] * " + read + "x, y + j).xyz;\n";
    else
      text_ += along_y + along_x + "    sum += " + first + "[(j + " + ry + ") * (2 * " + rx +
               " + 1) + i + " + rx + "] * " + read + "x + i, y + j).xyz;\n";
    text_ += "  const float alpha = " + read + "x, y).w;\n";
    text_ += stage.exact ? "  return (float4)(sum, alpha);\n}\n"
                         : "  return glcl_rounded_levels((float4)(sum + " +
                               names(stage.item, "offset") + "[0], alpha));\n}\n";
  }

  /// The user's function, under a unique name, and its call. In a Map it has no position.
  void function(size_t k, bool mapped = false) {
    const Stage &stage = stages_[k];
    const Item &item = chain_.items[stage.item];
    const Filter &filter = *item.filter;
    const std::string number = text_of(k), prefix = "glcl_" + number + "_";
    const std::string radius = text_of(stage.radius_x);
    std::string declared, here, given;
    const auto add = [&](const std::string &type, const std::string &declared_name,
                         const std::string &value) {
      const std::string name = filter.code.word(declared_name, prefix);
      declared += ", " + type + " " + name;
      here += ", " + name;
      given += ", " + value;
    };
    for (size_t p = 0; p < filter.parameters.size(); p++)
      add("const float", filter.parameters[p].name,
          options_.live ? names(stage.item, "parameters") + "[" + text_of(p) + "]"
                        : literal(item.values.numbers[p]));
    if (filter.reads("time")) add("const float", "time", "glcl_time.x");
    if (filter.reads("frame")) add("const int", "frame", "glcl_frame");
    if (filter.reads_picture()) {
      if (filter.reads("picture_width")) add("const int", "picture_width", "glcl_picture_size.x");
      if (filter.reads("picture_height")) add("const int", "picture_height", "glcl_picture_size.y");
    }
    for (size_t t = 0; t < filter.tables.size(); t++) {
      add("__global const float *", filter.tables[t].name, names(stage.item, "table" + text_of(t)));
      add("const int", filter.tables[t].name + "_size",
          text_of(filter.table_for(filter.tables[t], item.values).size()));
    }
    for (size_t l = 0; l < filter.lists.size(); l++) {
      const Matrix &list = item.values.lists[l];
      add("__constant const float *", filter.lists[l].name, names(stage.item, "list" + text_of(l)));
      add("const int", filter.lists[l].name + "_width", text_of(list.width));
      add("const int", filter.lists[l].name + "_height", text_of(list.height));
    }
    if (filter.cube) {
      colours("curve", filter.cube->curve, add);
      colours("lattice", filter.cube->lattice, add);
    }
    const auto within = [&](const std::string &d) {
      return "clamp((int)(" + d + "), -" + radius + ", " + radius + ")";
    };
    const std::string location = mapped ? "glcl_level" : "x, y";
    const std::string place_declared = mapped ? "const int glcl_level" : "const int x, const int y";
    std::map<std::string, std::string> macros{
        {"PIXEL", "GLCL_DECLARED " + place_declared + declared},
        {"HERE", "GLCL_GIVEN " + location + here},
        {"at(dx, dy)", "glcl_colour(glcl_read_" + number + "(GLCL_GIVEN " +
                           (mapped ? location : "x + " + within("dx") + ", y + " + within("dy")) +
                           "))"}};
    if (stage.frames > 1)
      macros["earlier(n, dx, dy)"] = "glcl_colour(glcl_earlier_" + number +
                                     "(GLCL_GIVEN (int)(n), x + " + within("dx") + ", y + " +
                                     within("dy") + "))";
    if (filter.reads("cycle"))
      macros[filter.code.word("cycle", prefix) + "(period)"] = "glcl_cycle(glcl_time, (period))";
    if (filter.reads_picture()) add_picture_macros(filter, prefix, macros);
    const auto forget = [&](const std::string &name) {
      text_ += "#undef " + name.substr(0, name.find('(')) + "\n";
    };
    for (const auto &[name, body] : macros) text_ += "#define " + name + " " + body + "\n";
    text_ += "#line 1 " + quoted(filter.file) + "\n" + filter.code.text(prefix) +
             "\n#line 1 \"stage\"\n";
    text_ += "inline float4 glcl_stage_" + number + "(GLCL_DECLARED " + place_declared +
             ") {\n  return glcl_rounded(" + filter.code.word(filter.name, prefix) +
             "(GLCL_GIVEN " + location + given + "));\n}\n";
    for (const auto &[name, body] : macros) forget(name);
  }

  /// Adds the functions that read the picture, under the filter's unique names.
  static void add_picture_macros(const Filter &filter, const std::string &prefix,
                                 std::map<std::string, std::string> &macros) {
    const std::string read =
        "glcl_picture_colour(glcl_picture, glcl_picture_pitch, glcl_picture_size, ";
    const std::string at = "(float2)((px), (py))";
    macros[filter.code.word("picture_at", prefix) + "(px, py)"] = read + at + ")";
    macros[filter.code.word("picture", prefix) + "(px, py)"] =
        read + "stretched(" + at + ", glcl_picture_scale))";
  }

  /// Adds the arguments of a table of colours: its points, their number along an axis, and the
  /// range of its input.
  template <class Add>
  void colours(const std::string &name, const ColourTable &table, const Add &add) const {
    const std::vector<const ColourTable *> tables = tables_of(chain_);
    size_t first = 0;
    for (const ColourTable *other : tables) {
      if (other == &table || !table.size) break;
      first += other->points.size() / 4;
    }
    std::string low, scale;
    for (int c = 0; c < 3; c++) {
      low += (c ? ", " : "(float3)(") + literal(table.low[c]);
      scale += (c ? ", " : "(float3)(") +
               literal(std::max(table.size - 1, 0) / (table.high[c] - table.low[c]));
    }
    add("__global const float4 *", name, "glcl_cubes + " + text_of(first));
    add("const int", name + "_size", text_of(table.size));
    add("const float3", name + "_low", low + ")");
    add("const float3", name + "_scale", scale + ")");
  }

  void fill(const Pass &pass, size_t k, const Segment &segment, const std::string &area,
            const std::string &tile) {
    const auto length = [](int group, int rim) { return text_of(group + 2 * rim); };
    const std::string side_x = length(options_.shape.width(), segment.rim_x),
                      side_y = length(options_.shape.height(), segment.rim_y);
    std::string value;
    // The code that fills the tile: from the picture, or from the previous segment's tile.
    if (k == 0 || tile == "source")
      value = load(pass) + "(glcl_in0, x, y)";
    else
      value = result(pass, segment.first - 1) + "(" + kernel_arguments(pass, tile) + "x, y)";
    text_ += "  for (int i = item; i < " + side_x + " * " + side_y + "; i += items) {\n" +
             "    const int x = clamp(origin.x - " + text_of(segment.rim_x) + " + i % " + side_x +
             ", 0, width - 1);\n    const int y = clamp(origin.y - " + text_of(segment.rim_y) +
             " + i / " + side_x + ", 0, height - 1);\n    ((__local " + texel(segment.first) +
             " *)" + area +
             ")[i] = " + (exact_before(segment.first) ? value : "GLCL_TEXEL(" + value + ")") +
             ";\n  }\n  barrier(CLK_LOCAL_MEM_FENCE);\n";
  }

  std::string kernel_arguments(const Pass &pass, const std::string &tile) const {
    std::string arguments;
    for (int n = 0; n < frames_; n++) {
      const std::string name = "glcl_in" + text_of(n);
      arguments += (is_planes(pass, n) ? "PLANES(" + name + ")" : name) + ", ";
      if (!is_planes(pass, n) && !is_image(pass, n)) arguments += name + "_pitch, ";
    }
    return arguments + "width, height, glcl_values, glcl_tables, glcl_cubes, glcl_maps, " +
           (reads_moment(chain_, stages_, pass) ? "glcl_time, glcl_frame, " : "") +
           (reads_picture(chain_, stages_, pass)
                ? "glcl_picture, glcl_picture_pitch, glcl_picture_size, glcl_picture_scale, "
                : "") +
           (tile.empty() ? "(__local const uint *)0" : "(__local const uint *)" + tile) +
           ", origin, ";
  }

  void pass(size_t p) {
    const Pass &pass = passes_[p];
    frames_ = stages_[pass.first].frames;
    text_ += "#line 1 \"pass\"\n";
    share(pass);
    for (const Segment &segment : pass.segments)
      for (size_t k = segment.first; k <= segment.last; k++) {
        if (const Map *part = map_of(pass, k)) {
          map(*part, pass, segment);
          k = part->last;
          continue;
        }
        read(k, pass, segment);
        if (stages_[k].kind == Stage::Kind::function)
          function(k);
        else
          convolution(k);
      }
    kernel(p);
  }

  void kernel(size_t p) {
    const Pass &pass = passes_[p];
    const bool exact = stages_[pass.last].exact;
    std::string out = "__write_only image2d_t glcl_out, ";
    if (stores_planes(pass))
      out = "OUT_PLANES(glcl_out), ";
    else if (options_.frame.layout == Layout::buffer)
      out = std::string("__global ") + (exact ? "float4" : "glcl_texel") +
            " *glcl_out, const int glcl_out_pitch, ";
    const std::string declared =
        sources_ + out +
        "const int width, const int height, __constant const float *glcl_values, "
        "__global const float *glcl_tables, __global const float4 *glcl_cubes, "
        "__global const uchar *glcl_maps" +
        (reads_moment(chain_, stages_, pass) ? ", const float2 glcl_time, const int glcl_frame"
                                             : "") +
        (reads_picture(chain_, stages_, pass)
             ? ", __global const uchar4 *glcl_picture, const int glcl_picture_pitch, const int2 "
               "glcl_picture_size, const float2 glcl_picture_scale"
             : "");
    const auto number = [](int value) { return text_of(value); };
    const WorkgroupShape &shape = options_.shape;
    text_ += "__kernel __attribute__((reqd_work_group_size(" + number(shape.x) + ", " +
             number(shape.y) + ", 1)))\nvoid glcl_pass_" + text_of(p) + "(" + declared + ") {\n";
    const size_t words[2] = {tile_words(pass, 0), tile_words(pass, 1)};
    for (int turn = 0; turn < 2; turn++)
      if (words[turn])
        text_ += "  __local uint area" + number(turn) + "[" + text_of(words[turn]) +
                 "] __attribute__((aligned(16)));\n";
    text_ += "  const int2 origin = (int2)(get_group_id(0) * " + number(shape.width()) +
             ", (get_global_id(1) - get_local_id(1)) * " + number(shape.rows) + ");\n";
    if (words[0] || words[1])
      text_ += "  const int item = get_local_id(1) * " + number(shape.x) +
               " + get_local_id(0), items = " + number(shape.x * shape.y) + ";\n";
    std::string tile;
    for (size_t s = 0; s < pass.segments.size(); s++) {
      const Segment &segment = pass.segments[s];
      if (!segment.tile) continue;
      const std::string area = "area" + text_of(s % 2);
      fill(pass, segment.first, segment, area, s == 0 ? "source" : tile);
      tile = area;
    }
    const std::string loop = "  for (int row = 0; row < " + number(shape.rows * shape.columns) +
                             "; row++) {\n    const int x = origin.x + row % " +
                             number(shape.columns) + " * " + number(shape.x) +
                             " + get_local_id(0), y = origin.y + row / " + number(shape.columns) +
                             " * " + number(shape.y) + " + get_local_id(1);\n    ";
    const std::string store = std::string("if (x < width && y < height) ") +
                              (exact ? "GLCL_STORE_EXACT" : "GLCL_STORE_LEVELS") +
                              "(glcl_out, x, y, ";
    const std::string value =
        result(pass, pass.last) + "(" + kernel_arguments(pass, tile) + "x, y)";
    if (stores_planes(pass)) return store_planes(value);
    // Inputs of one pixel are read for all rows before the first row is written.
    if (shape.rows > 1 && takes_one_pixel(pass))
      text_ += "  float4 values[" + number(shape.rows * shape.columns) + "];\n#pragma unroll\n" +
               loop + "values[row] = " + value + ";\n  }\n#pragma unroll\n" + loop + store +
               "values[row]);\n  }\n}\n";
    else
      text_ += loop + store + value + ");\n  }\n}\n";
  }

  bool stores_planes(const Pass &pass) const { return planes_ && pass.last + 1 == stages_.size(); }

  /// The end of a kernel: stores the frame block by block from the value at x and y.
  void store_planes(const std::string &value) {
    const WorkgroupShape &shape = options_.shape;
    text_ +=
        "  const int2 size = (int2)(width, height);\n  for (int row = 0; row < " +
        text_of(shape.rows / shape.columns) +
        "; row++) {\n    const int2 first = origin + BLOCK_SIDE * (int2)(get_local_id(0), row * " +
        text_of(shape.y) +
        " + get_local_id(1));\n    if (first.x >= width || first.y >= height) continue;\n"
        "    float4 block[BLOCK_PIXELS];\n    for (int i = 0; i < BLOCK_PIXELS; i++) {\n"
        "      const int x = BLOCK_PIXEL(i, first, size).x, y = BLOCK_PIXEL(i, first, size).y;\n"
        "      block[i] = glcl_colour(" +
        value + ");\n    }\n    STORE_BLOCK(block, glcl_out, first, size);\n  }\n}\n";
  }

  bool takes_one_pixel(const Pass &pass) const {
    return std::all_of(&stages_[pass.first], &stages_[pass.last] + 1, [](const Stage &stage) {
      return !stage.reads_around() && stage.frames == 1;
    });
  }

  size_t tile_words(const Pass &pass, size_t turn) const {
    size_t words = 0;
    for (size_t s = turn; s < pass.segments.size(); s += 2) {
      const Segment &segment = pass.segments[s];
      if (!segment.tile) continue;
      const size_t pixels = size_t(options_.shape.width() + 2 * segment.rim_x) *
                            size_t(options_.shape.height() + 2 * segment.rim_y);
      words = std::max(words, pixels * (exact_before(segment.first) ? 4 : planes_ ? 2 : 1));
    }
    return words;
  }

  const Description &chain_;
  const std::vector<Stage> &stages_;
  const std::vector<Pass> &passes_;
  const CodegenOptions &options_;
  const bool planes_ = !options_.frame.pixels->is_rgba();
  std::string text_;
  std::string sources_;  // the inputs of the current pass
  int frames_ = 1;
  size_t maps_ = 0;  // number of maps so far
};

}  // namespace

bool keeps_input(const std::vector<Stage> &stages, const FrameFormat &frame) {
  return !frame.pixels->is_rgba() && (stages.front().frames > 1 || frame.layout == Layout::image);
}

std::string generate(const Description &chain, const std::vector<Stage> &stages,
                     const std::vector<Pass> &passes, const CodegenOptions &options) {
  return Generator(chain, stages, passes, options).generate();
}

bool reads_moment(const Description &chain, const std::vector<Stage> &stages, const Pass &pass) {
  for (size_t k = pass.first; k <= pass.last; k++)
    if (chain.items[stages[k].item].filter->reads_moment()) return true;
  return false;
}

bool reads_picture(const Description &chain, const std::vector<Stage> &stages, const Pass &pass) {
  for (size_t k = pass.first; k <= pass.last; k++)
    if (chain.items[stages[k].item].filter->reads_picture()) return true;
  return false;
}

std::vector<float> values_of(const Description &chain) {
  std::vector<float> values{};
  for (const Item &item : chain.items)
    Numbers(item).each([&](const std::string &, const std::vector<double> &numbers) {
      values.insert(values.end(), numbers.begin(), numbers.end());
    });
  if (values.empty()) values.push_back(0);
  return values;
}

std::vector<float> cubes_of(const Description &chain) {
  std::vector<float> points;
  for (const ColourTable *table : tables_of(chain))
    points.insert(points.end(), table->points.begin(), table->points.end());
  if (points.empty()) points.resize(4);
  return points;
}

}  // namespace glcl::chain
