# gst-glcl without a GPU: docker build -f packaging/docker/cpu.Dockerfile -t gst-glcl .
# docker run --rm --user "$(id -u)" -v "$PWD:/videos" gst-glcl glcl-info
FROM debian:trixie-slim AS build
WORKDIR /src
COPY pipelines/setup.sh pipelines/
# The headers of GStreamer's analytics are unpacked, because installing their package also installs
# OpenCV.
RUN bash -euc 'apt-get update; . pipelines/setup.sh; \
  apt-get install -y --no-install-recommends "${build_packages[@]}" libgstreamer-plugins-bad1.0-0; \
  cd /tmp; apt-get download libgstreamer-plugins-bad1.0-dev; dpkg -x libgstreamer-plugins-bad1.0-dev_*.deb /'
COPY . .
# The same hardening flags as in debian/rules.
RUN eval "$(DEB_BUILD_MAINT_OPTIONS=hardening=+all dpkg-buildflags --export=sh)" && meson setup /build -Dprefix=/usr -Dtests=disabled -Dtools=enabled -Dresearch=disabled \
  && ninja -C /build && meson install -C /build --no-rebuild --destdir /root/installed

FROM debian:trixie-slim
COPY --from=build /root/installed /
RUN apt-get update && apt-get install -y --no-install-recommends gstreamer1.0-tools gstreamer1.0-plugins-base gstreamer1.0-plugins-good \
  gstreamer1.0-plugins-bad gstreamer1.0-gl gstreamer1.0-libav pocl-opencl-icd libegl1 libgl1-mesa-dri && rm -rf /var/lib/apt/lists/* \
  && useradd --uid 1000 glcl && install -d -o glcl /videos
ENV GST_GL_PLATFORM=egl GST_GL_WINDOW=egl-device HOME=/tmp XDG_RUNTIME_DIR=/tmp POCL_CACHE_DIR=/tmp/pocl
WORKDIR /videos
# `docker run --user "$(id -u)"` makes written files belong to the calling user. Only /tmp and /videos
# are written.
USER glcl
CMD ["glcl-info"]
