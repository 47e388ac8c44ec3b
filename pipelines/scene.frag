// SPDX-License-Identifier: LGPL-2.1-or-later
// The scene that demo.sh films: a panning landscape, three moving things with hard edges, and the
// noise of a camera at high gain: a constant part and one that grows with the brightness.
#version 100
#ifdef GL_ES
precision highp float;
#endif
varying vec2 v_texcoord;
uniform float time;
uniform float width;
uniform float height;

// 0..1, without any visible pattern: fractions of irrational multiples, mixed by products
float hash(vec3 p) {
  vec3 q = fract(p * vec3(0.754878, 0.569840, 0.438579));
  q = fract(q * (43.0 * q.yzx + 71.0));
  return fract(91.0 * q.x + 57.0 * q.y + 33.0 * q.z);
}

float value_noise(vec2 p) {
  vec2 cell = floor(p), f = fract(p);
  vec2 s = f * f * (3.0 - 2.0 * f);
  return mix(mix(hash(vec3(cell, 1.0)), hash(vec3(cell + vec2(1.0, 0.0), 1.0)), s.x),
             mix(hash(vec3(cell + vec2(0.0, 1.0), 1.0)), hash(vec3(cell + 1.0, 1.0)), s.x), s.y);
}

float clouds(vec2 p) {
  float sum = 0.0, weight = 0.5;
  for (int octave = 0; octave < 5; octave++) {
    sum += weight * value_noise(p);
    p = 2.0 * p + 17.0;
    weight *= 0.5;
  }
  return sum;
}

vec3 landscape(vec2 p) {
  vec2 q = p + vec2(0.15 * time, 0.0);
  vec3 color = mix(vec3(0.85, 0.80, 0.70), vec3(0.35, 0.52, 0.78),
                   clamp(0.8 * p.y + 0.5 * clouds(3.0 * q), 0.0, 1.0));
  float ridge = 0.32 + 0.35 * clouds(vec2(2.0 * q.x, 4.0));
  if (p.y < ridge)
    color = mix(vec3(0.12, 0.22, 0.16), vec3(0.38, 0.42, 0.30), clouds(vec2(9.0, 14.0) * q));
  if (p.y < 0.28) {
    vec2 tile = vec2(q.x / (0.2 + p.y), 0.6 / (0.2 + p.y)) * 4.0;
    color = mod(floor(tile.x) + floor(tile.y), 2.0) < 1.0 ? vec3(0.62, 0.55, 0.46)
                                                            : vec3(0.45, 0.38, 0.33);
  }
  return color;
}

void main() {
  float aspect = width / height;
  vec2 p = vec2(v_texcoord.x * aspect, 1.0 - v_texcoord.y);
  vec3 color = landscape(p);

  vec2 ball = p - vec2(aspect * (0.5 + 0.35 * sin(1.3 * time)), 0.22 + 0.45 * abs(cos(2.6 * time)));
  if (length(ball) < 0.13)
    color = mod(floor(4.0 * (atan(ball.y, ball.x) / 3.14159 + time)), 2.0) < 1.0
                ? vec3(0.90, 0.25, 0.15) : vec3(0.95, 0.90, 0.85);

  vec2 box = p - vec2(mod(0.45 * time, aspect + 0.4) - 0.2, 0.16);
  if (abs(box.x) < 0.16 && abs(box.y) < 0.07)
    color = mod(floor(25.0 * box.x), 2.0) < 1.0 ? vec3(0.10, 0.20, 0.55) : vec3(0.20, 0.45, 0.80);

  float angle = 0.8 * time;
  vec2 sign_ = mat2(cos(angle), -sin(angle), sin(angle), cos(angle)) * (p - vec2(0.78 * aspect, 0.68));
  if (max(abs(sign_.x), abs(sign_.y)) < 0.12)
    color = min(abs(sign_.x), abs(sign_.y)) < 0.03 ? vec3(0.15) : vec3(0.95, 0.80, 0.20);

  // the sum of three numbers uniform in -1..1 is nearly normal, with deviation 1
  vec2 pixel = floor(v_texcoord * vec2(width, height));
  float frame = floor(60.0 * time);
  vec3 grain = vec3(0.0);
  for (int i = 0; i < 3; i++)
    grain += 2.0 * (vec3(hash(vec3(pixel, frame + float(i) * 311.0)),
                         hash(vec3(pixel + 1031.0, frame + float(i) * 311.0)),
                         hash(vec3(pixel + 2063.0, frame + float(i) * 311.0))) - 0.5);
  float level = dot(color, vec3(0.30, 0.59, 0.11));
  gl_FragColor = vec4(color + grain * sqrt(0.0008 + 0.003 * level), 1.0);
}
