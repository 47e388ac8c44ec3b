// SPDX-License-Identifier: LGPL-2.1-or-later
#include "glcltexturebridge.h"

#include <algorithm>
#include <utility>

#include "glclerrorreporter.h"
#include "opencl/error.h"
#include "sharing/memory.h"
#include "sharing/syncmeta.h"

namespace glcl {

namespace {

using sharing::Access;
using sharing::AcquiredScope;
using sharing::Sharing;
using sharing::SharingMethod;
using sharing::TextureUse;

/// The texture of a plane. Checks it, because a buffer may differ from its caps. Throws.
GstGLMemory *texture_of(GstBuffer *buffer, const GstVideoInfo &info, const PixelFormat &format,
                        guint plane) {
  GstMemory *memory =
      plane < gst_buffer_n_memory(buffer) ? gst_buffer_peek_memory(buffer, plane) : nullptr;
  if (!memory || !gst_is_gl_memory(memory))
    throw Error(Error::Kind::failed,
                "A frame has no OpenGL texture. Add \"glupload !\" before the element.",
                "plane " + std::to_string(plane));
  GstGLMemory *texture = GST_GL_MEMORY_CAST(memory);
  const PlaneFormat &expected = *format.planes[plane];
  const guint texels = gst_gl_memory_get_texture_format(texture);
  const int width = gst_gl_memory_get_texture_width(texture),
            height = gst_gl_memory_get_texture_height(texture);
  const int shift = plane ? format.chroma_shift : 0;
  const int plane_width = (GST_VIDEO_INFO_WIDTH(&info) + (1 << shift) - 1) >> shift,
            plane_height = (GST_VIDEO_INFO_HEIGHT(&info) + (1 << shift) - 1) >> shift;
  if (width != plane_width || height != plane_height ||
      (texels != expected.gl && texels != expected.gl_base))
    throw Error(Error::Kind::failed,
                "The OpenGL texture of a frame does not match the caps. Fix the upstream element.",
                "plane " + std::to_string(plane) + ": " + std::to_string(width) + "×" +
                    std::to_string(height) + " px, format " + std::to_string(texels) +
                    ", instead of " + GST_VIDEO_INFO_NAME(&info) + " with " +
                    std::to_string(plane_width) + "×" + std::to_string(plane_height) + " px");
  return texture;
}

std::array<GstGLMemory *, 3> textures_of(GstBuffer *buffer, const GstVideoInfo &info,
                                         const PixelFormat &format) {
  std::array<GstGLMemory *, 3> textures{};
  for (int plane = 0; plane < format.plane_count; plane++)
    textures[plane] = texture_of(buffer, info, format, plane);
  return textures;
}

/// The planes of a frame whose textures are acquired, as one picture.
Picture frame_of(const TextureUse *planes, int count) {
  Picture frame = planes[0].picture;
  for (int i = 1; i < count; i++) frame.chroma.push_back(planes[i].picture);
  return frame;
}

Colorimetry colorimetry_of(const GstVideoInfo &info) {
  Colorimetry colorimetry;
  colorimetry.full_range = info.colorimetry.range == GST_VIDEO_COLOR_RANGE_0_255;
  // Unknown matrices leave the default, BT.601.
  gst_video_color_matrix_get_Kr_Kb(info.colorimetry.matrix, &colorimetry.kr, &colorimetry.kb);
  return colorimetry;
}

/// Makes the next work of OpenGL on this thread wait for earlier work on the frame, unless OpenCL
/// still holds the first `used` planes.
void wait_for(GstBuffer *buffer, const std::array<GstGLMemory *, 3> &textures, int used,
              GstGLContext *gl_context) {
  GstGLSyncMeta *sync = gst_buffer_get_gl_sync_meta(buffer);
  if (sync && !std::all_of(textures.begin(), textures.begin() + used, sharing::held))
    sharing::wait_for_gl(sync, gl_context);
}

/// Marks where OpenGL's work on the frame ends. Textures of gst-glcl pools hand themselves over and
/// need no mark.
void mark(GstBuffer *buffer, GstGLMemory *memory, GstGLContext *gl_context) {
  GstGLSyncMeta *sync = gst_buffer_get_gl_sync_meta(buffer);
  if (sync && !sharing::hands_over(memory)) gst_gl_sync_meta_set_sync_point(sync, gl_context);
}

}  // namespace

TextureBridge::TextureBridge(GstBaseTransform *element, GstGLCLContext *context,
                             std::shared_ptr<sharing::Copies> copies)
    : element_(element),
      context_(context),
      copies_(std::move(copies)),
      sharing_(gst_glcl_context_choice(context).factory.make()) {
  sharing_->count_in(copies_);
}

void TextureBridge::replace_pool(GstQuery *query, const sharing::ErrorHandler &report) {
  if (gst_query_get_n_allocation_pools(query) == 0) return;
  GstBufferPool *pool = nullptr;
  sharing::on_gl_thread(gl_context(), [&] { pool = sharing_->make_pool(gl_context(), report); });
  if (!pool) return;
  GstCaps *caps;
  guint size, min, max;
  gst_query_parse_allocation(query, &caps, nullptr);
  gst_query_parse_nth_allocation_pool(query, 0, nullptr, &size, &min, &max);
  // At least three buffers, so that OpenGL can draw the next frame while OpenCL still reads the
  // last.
  min = std::max(min, max ? std::min(max, 3u) : 3u);
  GstStructure *config = gst_buffer_pool_get_config(pool);
  gst_buffer_pool_config_set_params(config, caps, size, min, max);
  gst_buffer_pool_config_add_option(config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  gst_buffer_pool_set_config(pool, config);
  gst_query_set_nth_allocation_pool(query, 0, pool, size, min, max);
  gst_object_unref(pool);
}

/// Returns the method in use, or copying in two cases. Either the device has no images of the
/// format, or a texture belongs to a GL context that does not share with ours. The latter happens
/// for some frames after the application replaced the GL display.
Sharing &TextureBridge::sharing_for(const Textures &from, const Textures &to) {
  const auto is_foreign = [&](GstGLMemory *texture) {
    return texture && !gst_gl_context_can_share(texture->mem.context, gl_context());
  };
  const bool foreign = std::any_of(from.begin(), from.end(), is_foreign) ||
                       std::any_of(to.begin(), to.end(), is_foreign);
  if (!foreign && shareable_) return *sharing_;
  if (foreign) gst_base_transform_reconfigure_src(element_);
  if (!copying_) {
    sharing::on_gl_thread(gl_context(), [&] {
      const Device &device = gst_glcl_context_device(context_);
      copying_ = sharing::probe(SharingMethod::copy, gl_context(), device).factory.make();
    });
    copying_->count_in(copies_);
  }
  return *copying_;
}

FrameFormat TextureBridge::frame_format(const GstVideoInfo &info, Layout layout) {
  const PixelFormat &format = sharing::format_of(info);
  if (format.model == PixelFormat::Model::rgb) return layout;
  FrameFormat frame(layout, format, colorimetry_of(info));
  frame.chroma_site = {(info.chroma_site & GST_VIDEO_CHROMA_SITE_H_COSITED) != 0,
                       (info.chroma_site & GST_VIDEO_CHROMA_SITE_V_COSITED) != 0};
  return frame;
}

void TextureBridge::prepare(Context &context, Layout layout, const GstVideoInfo &info,
                            bool converts, const PixelFormat &rgba) {
  const PixelFormat &format = sharing::format_of(info);
  info_ = info;
  layout_ = layout;
  converts_ = !format.is_rgba() && (converts || format.model == PixelFormat::Model::rgb);
  converter_.reset();
  unread_ = {};
  const bool has_images = supports_images(context.cl(), format);
  if (layout == Layout::image && !has_images)
    throw Error(Error::Kind::settings,
                context.device().name + " has no images for frames in " + format.name +
                    ". Put glcolorconvert ! video/x-raw(memory:GLMemory),format=RGBA upstream of "
                    "the element.");
  shareable_ = gst_glcl_context_choice(context_).method == &SharingMethod::copy || has_images;
  if (!shareable_ && !std::exchange(warned_of_format_, true))
    warn(GST_ELEMENT(element_), GST_RESOURCE_ERROR_SETTINGS,
         "Frames in " + std::string(format.name) +
             " are copied through host memory: " + context.device().name +
             " has no images of this format. Convert them to RGBA "
             "upstream of the element.");
  if (!format.is_rgba())
    converter_ = std::make_unique<conversion::Converter>(
        context, GST_VIDEO_INFO_WIDTH(&info), GST_VIDEO_INFO_HEIGHT(&info),
        FrameFormat(layout, format, colorimetry_of(info)), rgba);
}

void TextureBridge::run(Queue &queue, GstBuffer *in, GstBuffer *out, bool luma_only,
                        std::optional<int> keeps_chroma, const Process &work) {
  const PixelFormat &format = sharing::format_of(info_);
  const Textures from = textures_of(in, info_, format), to = textures_of(out, info_, format);
  const bool passes = from.front() == to.front();
  const int read_count = passes && luma_only && !converts_ ? 1 : format.plane_count;
  Sharing &sharing = sharing_for(from, to);
  std::vector<TextureUse> uses;
  uses.reserve(2 * format.plane_count);
  for (int i = 0; i < read_count; i++) {
    uses.emplace_back(from[i], passes ? Access::pass_on : Access::read, *format.planes[i]);
    uses.back().shared = !gst_buffer_is_writable(in);
  }
  for (int i = 0; i < format.plane_count && !passes; i++)
    uses.emplace_back(to[i], Access::write, *format.planes[i]);
  const auto wait = [&] { wait_for(in, from, read_count, gl_context()); };
  AcquiredScope scope(sharing, gl_context(), queue, layout_, uses.data(), uses.size(),
                      std::ref(wait));  // no copy on the heap
  const Picture read = frame_of(uses.data(), read_count);
  const Picture written =
      passes ? Picture() : frame_of(uses.data() + read_count, format.plane_count);
  rgba_ = nullptr;
  if (converts_)
    convert(queue, read, written, keeps_chroma, work);
  else
    work(read, written);
  scope.finish();
  if (!passes) mark(out, to.front(), gl_context());
}

void TextureBridge::write(Queue &queue, GstBuffer *out,
                          const std::function<void(const Picture &out)> &work) {
  const PixelFormat &format = sharing::format_of(info_);
  const Textures to = textures_of(out, info_, format);
  std::vector<TextureUse> uses;
  uses.reserve(format.plane_count);
  for (int i = 0; i < format.plane_count; i++)
    uses.emplace_back(to[i], Access::write, *format.planes[i]);
  AcquiredScope scope(sharing_for(to, to), gl_context(), queue, layout_, uses.data(), uses.size());
  const Picture written = frame_of(uses.data(), format.plane_count);
  rgba_ = nullptr;
  if (converts_) {
    // Another order of RGB: all pixels are written anew.
    if (!unread_) unread_ = make_frame_like(queue.context().cl(), written);
    work(converter_->rgba_out());
    converter_->from_rgba(queue, unread_, written);
  } else {
    work(written);
  }
  scope.finish();
  mark(out, to.front(), gl_context());
}

const Picture &TextureBridge::rgba(Queue &queue, const Picture &in) {
  if (!converter_ || converts_) return in;
  if (!rgba_) rgba_ = &converter_->to_rgba(queue, in);
  return *rgba_;
}

void TextureBridge::run_as_rgba(Queue &queue, const Picture &in, const Picture &out,
                                const Process &work) {
  if (converter_ && !converts_)
    convert(queue, in, out, {}, work);
  else
    work(in, out);
}

void TextureBridge::convert(Queue &queue, const Picture &in, const Picture &out,
                            std::optional<int> keeps_chroma, const Process &work) {
  if (!rgba_) rgba_ = &converter_->to_rgba(queue, in);
  work(*rgba_, out ? converter_->rgba_out() : Picture());
  if (out) converter_->from_rgba(queue, in, out, keeps_chroma);
}

void TextureBridge::prepare_for_gl(GstBuffer *frame, bool consumers_map) {
  if (consumers_map ? !gst_glcl_context_device(context_).is_cpu()
                    : !sharing::needs_hand_over(frame))
    return;
  sharing::wait_for_device(frame);
  if (consumers_map) return;
  sharing::on_gl_thread(gl_context(), [&] { sharing::hand_to_gl(frame, gl_context()); });
}

}  // namespace glcl
