// SPDX-License-Identifier: LGPL-2.1-or-later
#include "similarity.h"

namespace reference {

Similarity similarity(Complex shift, Complex turn) {
  return {shift.real(), shift.imag(), turn.real(), turn.imag()};
}

Complex vector_at(const Similarity &motion, Complex z) { return shift(motion) + turn(motion) * z; }

Similarity after(const Similarity &a, const Similarity &b) {
  return similarity(shift(a) + shift(b) + turn(b) * shift(a),
                    turn(a) + turn(b) + turn(a) * turn(b));
}

Similarity inverse(const Similarity &motion) {
  const Complex back = 1.0f / (1.0f + turn(motion));
  return similarity(-shift(motion) * back, back - 1.0f);
}

Complex bent(const Similarity &motion, Complex bend, Complex z) {
  return z + vector_at(motion, z) + (bend.real() * z.real() + bend.imag() * z.imag()) * z;
}

Complex unbent(const Similarity &back, Complex bend, Complex z) {
  Complex from = z + vector_at(back, z);
  for (int i = 0; i < 3; i++) {
    const Complex straight = z - (bend.real() * from.real() + bend.imag() * from.imag()) * from;
    from = straight + vector_at(back, straight);
  }
  return from;
}

}  // namespace reference
