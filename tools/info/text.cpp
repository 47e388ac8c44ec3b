// SPDX-License-Identifier: LGPL-2.1-or-later
#include <iostream>
#include <sstream>

#include "../table.h"
#include "config.h"
#include "report.h"
#include "sharing/sharing.h"

namespace glcl::info {

namespace {

using sharing::SharingMethod;

void print_paragraph(const std::string &text, size_t line, size_t margin = 2) {
  for (const std::string &part : wrap(text, line - margin))
    std::cout << std::string(margin, ' ') << part << '\n';
}

std::string gibibytes(uint64_t bytes) {
  std::ostringstream text;
  text.precision(1);
  text << std::fixed << static_cast<double>(bytes) / (1 << 30) << " GiB";
  return text.str();
}

void print_contexts(const Report &report, size_t line) {
  std::cout << "OpenGL contexts\n";
  if (report.contexts.empty()) std::cout << "  none\n";
  if (report.needs_variables) std::cout << "  with " << headless_text() << '\n';
  Table table({"API", "version", "vendor", "renderer", "platform", "display"});
  for (const ContextInfo &c : report.contexts)
    table.add({c.api + (c.is_default ? " (default)" : ""), c.version, c.vendor, c.renderer,
               c.platform, c.display});
  if (!report.contexts.empty()) table.print(line);
  for (const MissingApi &missing : report.missing)
    print_paragraph("no " + missing.api + ": " + missing.reason, line);
}

void print_devices(const Report &report, size_t line) {
  std::cout << "\nOpenCL devices\n";
  if (report.platforms.empty()) std::cout << "  none (no OpenCL platform)\n";
  Table table({"P:D", "name", "type", "vendor", "driver", "OpenCL", "units", "memory", "images"});
  for (const PlatformInfo &platform : report.platforms)
    for (const DeviceInfo &d : platform.devices) {
      std::istringstream version(d.version);  // "OpenCL 3.0 VENDOR TEXT"
      std::string opencl, number;
      version >> opencl >> number;
      table.add({d.id, d.name, d.type, d.vendor, d.driver, number, std::to_string(d.compute_units),
                 gibibytes(d.memory),
                 d.images
                     ? std::to_string(d.max_image_width) + "x" + std::to_string(d.max_image_height)
                     : "none"});
    }
  if (report.has_device()) table.print(line);
  for (const PlatformInfo &platform : report.platforms)
    for (const DeviceInfo &d : platform.devices) {
      if (!d.obstacle.empty())
        print_paragraph(d.id + " can't run the elements: " + d.obstacle, line);
      if (!d.shortage.empty())
        print_paragraph(d.id + " can't run all elements: " + d.shortage, line);
    }
  for (const PlatformInfo &p : report.platforms)
    print_paragraph("platform " + std::to_string(p.index) + ": " + p.name + ", " + p.vendor + ", " +
                        p.version + (p.devices.empty() ? "; without devices: " + p.hint : ""),
                    line);
}

bool same(const std::vector<Pair> &a, const std::vector<Pair> &b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Pair &p, const Pair &q) {
    return p.device == q.device && p.reasons == q.reasons && p.forms == q.forms;
  });
}

/// Contexts with equal results share one entry.
void print_pairs(const Report &report, size_t line) {
  std::cout << "\nMethods of sharing textures\n";
  Table table({"context", "P:D", "method", "usable", "reason"});
  std::vector<bool> shown(report.contexts.size());
  for (size_t i = 0; i < report.contexts.size(); i++) {
    if (shown[i]) continue;
    std::string names;
    for (size_t j = i; j < report.contexts.size(); j++) {
      if (shown[j] || !same(report.contexts[i].pairs, report.contexts[j].pairs)) continue;
      shown[j] = true;
      names += (names.empty() ? "" : ", ") + report.contexts[j].api;
    }
    for (const Pair &pair : report.contexts[i].pairs)
      for (size_t w = 0; w < pair.reasons.size(); w++) {
        table.add({w ? "" : names, w ? "" : pair.device, SharingMethod::all[w]->name,
                   !pair.reasons[w].empty() ? "no"
                   : pair.forms[w].empty()  ? "yes"
                                            : "yes, " + pair.forms[w],
                   pair.reasons[w]});
      }
  }
  table.print(line);
}

void print_automatic(const Report &report, size_t line) {
  std::cout << "\nChoice of sharing=auto device=auto\n";
  Table table({"context", "method", "P:D", "name"});
  for (const ContextInfo &c : report.contexts)
    table.add({c.api, c.automatic.method, c.automatic.device,
               c.automatic.error.empty() ? c.automatic.name : c.automatic.error});
  table.print(line);
}

}  // namespace

void print_text(const Report &report) {
  const size_t line = line_width();
  std::cout << "glcl-info " PACKAGE_VERSION ", GStreamer " << report.gstreamer << "\n\n";
  print_contexts(report, line);
  print_devices(report, line);
  if (report.usable()) {
    print_pairs(report, line);
    print_automatic(report, line);
  }
  for (const std::string &remedy : report.remedies) {
    std::cout << '\n';
    print_paragraph(remedy, line, 0);
  }
}

}  // namespace glcl::info
