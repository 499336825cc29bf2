#include "math/exponential.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "math/bits.hpp"

namespace horus::math {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// 2^(j / 32), and what it lacks.
constexpr int kParts = 32;
constexpr double kPowers[kParts][2] = {
    {0x1p+0, 0.0},
    {0x1.059b0d3158574p+0, 0x1.d73e2a475b465p-55},
    {0x1.0b5586cf9890fp+0, 0x1.8a62e4adc610bp-54},
    {0x1.11301d0125b51p+0, -0x1.6c51039449b3ap-54},
    {0x1.172b83c7d517bp+0, -0x1.19041b9d78a76p-55},
    {0x1.1d4873168b9aap+0, 0x1.e016e00a2643cp-54},
    {0x1.2387a6e756238p+0, 0x1.9b07eb6c70573p-54},
    {0x1.29e9df51fdee1p+0, 0x1.612e8afad1255p-55},
    {0x1.306fe0a31b715p+0, 0x1.6f46ad23182e4p-55},
    {0x1.371a7373aa9cbp+0, -0x1.63aeabf42eae2p-54},
    {0x1.3dea64c123422p+0, 0x1.ada0911f09ebcp-55},
    {0x1.44e086061892dp+0, 0x1.89b7a04ef80dp-59},
    {0x1.4bfdad5362a27p+0, 0x1.d4397afec42e2p-56},
    {0x1.5342b569d4f82p+0, -0x1.07abe1db13cadp-55},
    {0x1.5ab07dd485429p+0, 0x1.6324c054647adp-54},
    {0x1.6247eb03a5585p+0, -0x1.383c17e40b497p-54},
    {0x1.6a09e667f3bcdp+0, -0x1.bdd3413b26456p-54},
    {0x1.71f75e8ec5f74p+0, -0x1.16e4786887a99p-55},
    {0x1.7a11473eb0187p+0, -0x1.41577ee04992fp-55},
    {0x1.82589994cce13p+0, -0x1.d4c1dd41532d8p-54},
    {0x1.8ace5422aa0dbp+0, 0x1.6e9f156864b27p-54},
    {0x1.93737b0cdc5e5p+0, -0x1.75fc781b57ebcp-57},
    {0x1.9c49182a3f09p+0, 0x1.c7c46b071f2bep-56},
    {0x1.a5503b23e255dp+0, -0x1.d2f6edb8d41e1p-54},
    {0x1.ae89f995ad3adp+0, 0x1.7a1cd345dcc81p-54},
    {0x1.b7f76f2fb5e47p+0, -0x1.5584f7e54ac3bp-56},
    {0x1.c199bdd85529cp+0, 0x1.11065895048ddp-55},
    {0x1.cb720dcef9069p+0, 0x1.503cbd1e949dbp-56},
    {0x1.d5818dcfba487p+0, 0x1.2ed02d75b3707p-55},
    {0x1.dfc97337b9b5fp+0, -0x1.1a5cd4f184b5cp-54},
    {0x1.ea4afa2a490dap+0, -0x1.e9c23179c2893p-54},
    {0x1.f50765b6e454p+0, 0x1.9d3e12dd8a18bp-54},
};

// For each of the stretches from 0.6875 to 1.375 in which numbers have the same bits in front: about the inverse of its
// middle, in eleven digits, minus its logarithm to 2^-42, and what that lacks.
constexpr double kLogarithms[128][3] = {
    {0x1.734p+0, -0x1.7c9e7703f9p-2, 0x1.82d5517117a8cp-45},
    {0x1.714p+0, -0x1.77166c744p-2, -0x1.2d333f054aa72p-45},
    {0x1.6f4p+0, -0x1.7186b11381p-2, -0x1.934e2677d272bp-46},
    {0x1.6dp+0, -0x1.6b3bb22359p-2, -0x1.0f6257a933268p-44},
    {0x1.6bp+0, -0x1.659b57303ep-2, -0x1.f281db0af8efcp-46},
    {0x1.69p+0, -0x1.5ff3070a79p-2, -0x1.e9e439f105039p-45},
    {0x1.67p+0, -0x1.5a42ab0f4dp-2, 0x1.e63af2df7ba69p-50},
    {0x1.654p+0, -0x1.5541aec91cp-2, 0x1.816aadc72eeb9p-48},
    {0x1.634p+0, -0x1.4f81fe4764p-2, 0x1.7fcf6434ff08dp-45},
    {0x1.614p+0, -0x1.49b9feb7c1p-2, -0x1.dac1c58ab60d7p-44},
    {0x1.5f8p+0, -0x1.44a41b463cp-2, -0x1.1ee28f37cf612p-44},
    {0x1.5d8p+0, -0x1.3ecc460ef6p-2, 0x1.6028627c1300fp-47},
    {0x1.5bcp+0, -0x1.39a8619f45p-2, -0x1.8ee51937354f5p-46},
    {0x1.59cp+0, -0x1.33c05f128ep-2, 0x1.2b906380e1a7dp-45},
    {0x1.58p+0, -0x1.2e8e2bae12p-2, 0x1.67b1e99b72bd8p-45},
    {0x1.564p+0, -0x1.29552f81ffp-2, -0x1.48d301771c408p-44},
    {0x1.548p+0, -0x1.241558bfd1p-2, -0x1.00fff3228fcadp-44},
    {0x1.52cp+0, -0x1.1ece95528bp-2, 0x1.84e7b09b4a3b8p-46},
    {0x1.51p+0, -0x1.1980d2dd42p-2, -0x1.b7b3a7a361c9ap-45},
    {0x1.4f4p+0, -0x1.142bfeb9ap-2, -0x1.1ce6185b58a9ep-44},
    {0x1.4d8p+0, -0x1.0ed005f658p-2, 0x1.2dc75285aa803p-45},
    {0x1.4bcp+0, -0x1.096cd55591p-2, -0x1.f998d20550a31p-44},
    {0x1.4a4p+0, -0x1.04c8de1842p-2, 0x1.fe6ba512ceb86p-46},
    {0x1.488p+0, -0x1.feb0233e6p-3, -0x1.f316e32d5e8c7p-45},
    {0x1.46cp+0, -0x1.f3bfa934d6p-3, -0x1.d9f2a937b903bp-45},
    {0x1.454p+0, -0x1.ea5349e23ap-3, -0x1.81b934c73ccb5p-44},
    {0x1.43cp+0, -0x1.e0dbc3d92ap-3, -0x1.59233f0529bf1p-44},
    {0x1.42p+0, -0x1.d5c216b4fcp-3, 0x1.1ba91bbca681bp-45},
    {0x1.408p+0, -0x1.cc320c0176p-3, -0x1.409039a653794p-45},
    {0x1.3fp+0, -0x1.c2968558c2p-3, 0x1.cfd73dee38a4p-45},
    {0x1.3d4p+0, -0x1.b7526a22e4p-3, -0x1.c0dbf2e78549p-45},
    {0x1.3bcp+0, -0x1.ad9da1f828p-3, 0x1.882b7c803f05p-44},
    {0x1.3a4p+0, -0x1.a3dd04b938p-3, -0x1.97da1366e2c5ap-45},
    {0x1.38cp+0, -0x1.9a10756988p-3, -0x1.64aa6242cd098p-45},
    {0x1.374p+0, -0x1.9037d6a18p-3, -0x1.30dea57c1c8d9p-45},
    {0x1.35cp+0, -0x1.86530a8c7p-3, -0x1.98bb0cb4ea3e3p-44},
    {0x1.348p+0, -0x1.7e0afd630cp-3, -0x1.39e7c1d8f1034p-46},
    {0x1.33p+0, -0x1.740f8f5404p-3, 0x1.0b66c99018aa1p-44},
    {0x1.318p+0, -0x1.6a079d0f7ap-3, -0x1.5a3f8448d14f5p-44},
    {0x1.3p+0, -0x1.5ff3070a7ap-3, 0x1.8586f183bebf2p-44},
    {0x1.2ecp+0, -0x1.5782cb3092p-3, 0x1.3a46351794442p-44},
    {0x1.2d4p+0, -0x1.4d56b5798ep-3, -0x1.8058015a96555p-44},
    {0x1.2cp+0, -0x1.44d2b6ccb8p-3, 0x1.70cc16135783cp-46},
    {0x1.2a8p+0, -0x1.3a8eb2d31ap-3, -0x1.bafb77d5d503ep-46},
    {0x1.294p+0, -0x1.31f693eb1ap-3, 0x1.a6726e5a396fbp-45},
    {0x1.27cp+0, -0x1.279a300ab4p-3, -0x1.ef432b3235108p-44},
    {0x1.268p+0, -0x1.1eed90e2dcp-3, -0x1.615637097648fp-46},
    {0x1.254p+0, -0x1.16377fb124p-3, -0x1.91e1abf41763ep-47},
    {0x1.24p+0, -0x1.0d77e7cd08p-3, -0x1.cb2cd2ee2f482p-44},
    {0x1.22cp+0, -0x1.04aeb449f6p-3, -0x1.afa9065ccd35cp-45},
    {0x1.214p+0, -0x1.f42dba3a24p-4, 0x1.312b732df6c0dp-44},
    {0x1.2p+0, -0x1.e27076e2bp-4, 0x1.a342c2af0003cp-45},
    {0x1.1ecp+0, -0x1.d09f72b4c4p-4, -0x1.048c000354e33p-45},
    {0x1.1d8p+0, -0x1.beba818148p-4, 0x1.89b78b6df1f57p-44},
    {0x1.1c4p+0, -0x1.acc1768434p-4, 0x1.aa783a0b7fa4cp-45},
    {0x1.1bp+0, -0x1.9ab4246204p-4, 0x1.8a64826787061p-45},
    {0x1.1ap+0, -0x1.8c345d6318p-4, -0x1.b20f5acb42a66p-44},
    {0x1.18cp+0, -0x1.7a0216f648p-4, -0x1.e124ca18418ffp-44},
    {0x1.178p+0, -0x1.67bb0726ecp-4, -0x1.f724b69ef5912p-49},
    {0x1.164p+0, -0x1.555efe40b4p-4, -0x1.0b4978c868e23p-44},
    {0x1.15p+0, -0x1.42edcbea64p-4, -0x1.bc0eeea7c9acdp-46},
    {0x1.14p+0, -0x1.341d7961bcp-4, -0x1.1d0929983761p-44},
    {0x1.12cp+0, -0x1.2185b3b75cp-4, 0x1.e3189f8f32304p-44},
    {0x1.11cp+0, -0x1.129644403p-4, 0x1.d53bb751aa773p-44},
    {0x1.108p+0, -0x1.ffae9119b8p-5, -0x1.303374262c554p-45},
    {0x1.0f4p+0, -0x1.da0478be38p-5, -0x1.252c7b1f6fe05p-45},
    {0x1.0e4p+0, -0x1.bbc2bfc45p-5, 0x1.7d18691417dafp-46},
    {0x1.0d4p+0, -0x1.9d644fdff8p-5, -0x1.13c90539a473bp-44},
    {0x1.0cp+0, -0x1.77458f633p-5, 0x1.181dce586af09p-44},
    {0x1.0bp+0, -0x1.58a5bafc9p-5, 0x1.b2b739570ad39p-45},
    {0x1.09cp+0, -0x1.32348c7p-5, -0x1.696db90b1e49fp-45},
    {0x1.08cp+0, -0x1.1352378598p-5, 0x1.c1ac3b71fa59bp-46},
    {0x1.07cp+0, -0x1.e8a3ee30dp-6, 0x1.1a9fa3de539p-45},
    {0x1.06cp+0, -0x1.aa6721ee8p-6, -0x1.ad4eb5c5af494p-45},
    {0x1.058p+0, -0x1.5c45a51b9p-6, 0x1.63bb6216d87d8p-45},
    {0x1.048p+0, -0x1.1d7f7eb9fp-6, 0x1.4193a83fcc7a6p-46},
    {0x1.038p+0, -0x1.bcf712c74p-7, -0x1.c25e097bd9771p-46},
    {0x1.028p+0, -0x1.3e7295d26p-7, 0x1.609c1ff29a114p-45},
    {0x1.018p+0, -0x1.7ee11ebd8p-8, -0x1.749d3c2d23a07p-47},
    {0x1p+0, 0.0, 0.0},
    {0x1p+0, 0.0, 0.0},
    {0x1.fap-1, 0x1.82448a388p-7, 0x1.4554412c584ep-44},
    {0x1.f6p-1, 0x1.432a92598p-6, 0x1.98139928637fep-47},
    {0x1.f28p-1, 0x1.b5cc258b7p-6, 0x1.8e611b8afbfe8p-46},
    {0x1.ee8p-1, 0x1.1ce5a62bcp-5, 0x1.a9cc78d8df999p-44},
    {0x1.ebp-1, 0x1.5715c4c04p-5, -0x1.8888ddfc47628p-44},
    {0x1.e78p-1, 0x1.91b073efd8p-5, -0x1.9d7c53f76ca96p-46},
    {0x1.e38p-1, 0x1.d52ed6406p-5, -0x1.3c85d2a29bbd6p-44},
    {0x1.ep-1, 0x1.08598b59e4p-4, -0x1.7e5dd7009902cp-46},
    {0x1.dc8p-1, 0x1.26536c3d8cp-4, 0x1.b4bac097c5ba3p-47},
    {0x1.d9p-1, 0x1.4485e03dbcp-4, 0x1.fad46e8d26ab7p-44},
    {0x1.d6p-1, 0x1.5e95a4d978p-4, 0x1.1cb7ce1d17171p-44},
    {0x1.d28p-1, 0x1.7d33687c28p-4, 0x1.3c88c3e706706p-44},
    {0x1.cfp-1, 0x1.9c0c32d4d4p-4, -0x1.ab7c09e838668p-44},
    {0x1.ccp-1, 0x1.b6ac88dad4p-4, 0x1.b1bdff50225c7p-44},
    {0x1.c88p-1, 0x1.d5f556592p-4, 0x1.0e239cc185469p-44},
    {0x1.c58p-1, 0x1.f0f70cdd98p-4, 0x1.2e31f6c272c1ep-44},
    {0x1.c28p-1, 0x1.06135354d4p-3, 0x1.6304628340ee9p-44},
    {0x1.bf8p-1, 0x1.13c2605c3ap-3, -0x1.cf5fdd94f6509p-45},
    {0x1.bc8p-1, 0x1.2188fd9808p-3, -0x1.b3a1e7f50c701p-44},
    {0x1.b98p-1, 0x1.2f677cbbcp-3, 0x1.52b302160f40dp-44},
    {0x1.b68p-1, 0x1.3d5e3126bcp-3, 0x1.3fb2f85096c4bp-46},
    {0x1.b38p-1, 0x1.4b6d6fefe2p-3, 0x1.522ecf56e7952p-46},
    {0x1.b08p-1, 0x1.59958ff1d6p-3, -0x1.a1d059769ca05p-44},
    {0x1.ad8p-1, 0x1.67d6e9d786p-3, -0x1.11e8830a706d3p-44},
    {0x1.abp-1, 0x1.73cb9074fep-3, -0x1.d66a90d0005a6p-44},
    {0x1.a8p-1, 0x1.823c16551ap-3, 0x1.e0ddb9a631e83p-46},
    {0x1.a58p-1, 0x1.8e588ebac2p-3, 0x1.b7d5cab2d114p-44},
    {0x1.a3p-1, 0x1.9a8778debap-3, 0x1.470fa3efec39p-44},
    {0x1.ap-1, 0x1.a93ed3c8aep-3, -0x1.8724350562169p-45},
    {0x1.9d8p-1, 0x1.b5971a213ap-3, 0x1.9b50e83aa91dfp-44},
    {0x1.9bp-1, 0x1.c2028ab18p-3, -0x1.92e0ee55c7ac6p-45},
    {0x1.988p-1, 0x1.ce816157f2p-3, -0x1.9e0aba2099515p-45},
    {0x1.96p-1, 0x1.db13db0d48p-3, 0x1.2806a847527e6p-44},
    {0x1.938p-1, 0x1.e7ba35eb78p-3, -0x1.d5eee23793649p-47},
    {0x1.91p-1, 0x1.f474b134ep-3, -0x1.bae49f1df7b5ep-44},
    {0x1.8e8p-1, 0x1.00a1c6addap-2, 0x1.1cd8d688b9e18p-44},
    {0x1.8cp-1, 0x1.07138604d6p-2, -0x1.e76324e912b17p-44},
    {0x1.898p-1, 0x1.0d8fb813ebp-2, 0x1.ee8c88753fa35p-46},
    {0x1.878p-1, 0x1.12c77cd007p-2, 0x1.3b2948a11f797p-46},
    {0x1.85p-1, 0x1.1956d3b9bcp-2, 0x1.7d2f73ad1aa14p-45},
    {0x1.828p-1, 0x1.1ff0fe7cf4p-2, 0x1.e9d5b513ff0c1p-44},
    {0x1.808p-1, 0x1.25410494e5p-2, 0x1.b1d7ac0ef77f2p-44},
    {0x1.7ep-1, 0x1.2bef07cdc9p-2, 0x1.a9cfa4a5004f4p-45},
    {0x1.7cp-1, 0x1.314f1e1d36p-2, -0x1.8e27ad3213cb8p-45},
    {0x1.798p-1, 0x1.3811728565p-2, -0x1.a71e493a0702bp-45},
    {0x1.778p-1, 0x1.3d81fb5947p-2, -0x1.22c7c2a9d37a4p-45},
    {0x1.758p-1, 0x1.42f9f3ff62p-2, 0x1.906440f7d3354p-44},
};

}  // namespace

double exponential(double x) {
  constexpr double kLargest = 0x1.62e42fefa39efp+9, kSmallest = -0x1.74910d52d3051p+9;
  if (!(x <= kLargest)) return x > kLargest ? kInfinity : x;
  if (x < kSmallest) return 0.0;
  // x = parts * log(2) / 32 + r; the first part of that has 32 digits.
  constexpr double kShift = 0x1.8p52, kPart = 0x1.62e42feep-6, kPartRest = 0x1.a39ef35793c76p-38;
  const double shifted = x * 0x1.71547652b82fep+5 + kShift;
  const double parts = shifted - kShift;
  const auto whole = static_cast<std::int64_t>(std::bit_cast<std::uint64_t>(shifted) << 12) >> 12;
  const double r = (x - parts * kPart) - parts * kPartRest;
  const double z = r * r;
  const double less_one = r + z * ((0.5 + r * (1.0 / 6.0)) + z * ((1.0 / 24.0 + r * (1.0 / 120.0)) + z * (1.0 / 720.0)));
  const auto& power = kPowers[whole & (kParts - 1)];
  const double y = power[0] + (power[1] + power[0] * less_one);
  const auto exponent = static_cast<int>(whole >> 5);
  if (exponent >= -1022 && exponent <= 1022) return y * power_of_two(exponent);
  return exponent > 0 ? y * 0x1p1023 * power_of_two(exponent - 1023) : y * power_of_two(exponent + 200) * 0x1p-200;
}

double logarithm(double x) {
  auto bits = std::bit_cast<std::uint64_t>(x);
  int twos = 0;
  if (bits - 0x0010000000000000 >= 0x7FE0000000000000) [[unlikely]] {
    if (x == 0.0) return -kInfinity;
    if (std::isnan(x) || x == kInfinity) return x;
    if (x < 0.0) return std::numeric_limits<double>::quiet_NaN();
    bits = std::bit_cast<std::uint64_t>(x * 0x1p54), twos = -54;
  }
  constexpr std::uint64_t kFirst = 0x3FE6000000000000;  // 0.6875
  const std::uint64_t above = bits - kFirst;
  twos += static_cast<int>(static_cast<std::int64_t>(above) >> 52);
  const std::uint64_t mantissa = bits - (above & 0xFFF0000000000000);
  const auto& row = kLogarithms[above >> 45 & 127];
  // Times the inverse, less one.
  const double high = std::bit_cast<double>(mantissa & ~0xFFFull), low = std::bit_cast<double>(mantissa) - high;
  const double r = (high * row[0] - 1.0) + low * row[0];
  const double z = r * r;
  const double series = (1.0 / 3.0 + r * (-1.0 / 4.0)) +
                        z * ((1.0 / 5.0 + r * (-1.0 / 6.0)) + z * (1.0 / 7.0 + r * (-1.0 / 8.0)));
  // Both exact; the sum is 0 or larger than r.
  constexpr double kLog2 = 0x1.62e42feep-1, kLog2Rest = 0x1.a39ef35793c76p-33;
  const double n = twos;
  const double base = n * kLog2 + row[1];
  const double sum = base + r;
  return sum + ((((base - sum) + r) + (n * kLog2Rest + row[2])) + z * (r * series - 0.5));
}

}  // namespace horus::math
