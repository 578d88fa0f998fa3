/** Two small files made by hand from the format's description; every byte of them is known. */
import { gunzipSync } from 'node:zlib';

const TINY = [
  'H4sIAAAAAAACA4vyDA5yDHfz9HFlgAAmVJqRARUwMjGzsLKxc3BycfPw8vELoPNBahqYGUbBMAFR4PQRHOrk5OPv7M3A4ABNENpQmhuqTgFKu4SBJBSYsJkF',
  'ShYRUDYLkngIFjFnBuzpb7ABG1/XEEcXxxBHfbsXzC+ZXzG/Zv7E/Jn5C/NX5j/Mf5n/Mf9nZmNhZ+Fg4WTBE74unkGuziH+QZEMD6DidwaJ/2kdnwAp8hbY',
  'gAQAAA==',
];

const MINI = [
  'H4sIAAAAAAACA+2Za3ATVRTHN9klLZRHKYIKVNMCWqntbpKbptSwNKStZmiFaWNtOn5gaRcI5lGSlJeoVZCHFUWFouKD8vCDfAG65YvDWGYc9QPOCM7g8HAG',
  'RgUURkWBEQX1bHbTPEg9xaGUQO9M5t578rv/e8/Ze+/e3a131FTbnqxwVJZTStLG5xoqPmm0NDNIl5Y+eEjG0GHDR2Qm1mVGr1PYE2nRdlsmUQMpBVN9eH7U',
  'PDF9euVM+wyKKlUnRL6aZ6icXs3LauU/9NpkWjT86tQyE2N3JrHZqeTz71ZL1qpyp63M5rSx/Bn6R/on+iz9G/07fYG+SF+hr9J/0//QOiaNSWcGM72Kr151',
  'ODPB8cy4+LbQ1xtfJmZpp1J8M5mRTBYzihnLjGPGM9lMb+cnm+AYGxe/rhgdXa/npy4hfpoUiB+t0eR1slf1XLaGOvPVwUNfHz12/Nvvfzh1+udffj3/x+U/',
  '/5L377R0SBpq0uyhPczPMkd1ud05s9pFbVEd3qCJxqw/U1/uN3251m7WPFSuX2STgh5Vb3ZFcu2dfX+zOrzCPLHM39DsFX0h3lolhoRGISTw1vIlTWLArVht',
  'DQub3UF3yO33VfkbxRox1NzEW2saBI/bN6+ONxaayws4i5XttkT+c13zn4u3ssnl2NgeHb65/oBXkBFeGSNoupeJdTwBqXAhXHfyRUrdqdTtvFGp23nrLPcS',
  '0eNc2iTyjwaEpQYAo5ZYl8qEkGjzNTqha97IGUkBZyrgzE5uSglXXMJZCg1GEzEXWerjBh7byFomjzoI1iBvtc8XfD7REy3pHY1Tc9VyCZerf1zwirLBkAuI',
  '3+MP8BMqKjhO/llZxQC5wicXMURFjLlslIY+IQyz/MoIg3IUQ2JgkeCRSw0BMRxarpDjIEZRg1yOYGxMYxa02FjPWPU6sHEXR72u0EVI9AblWARDgq9BDI+4',
  'DnysFTzNYnQeKFVZWeFkPaUl2y3FRqchGz9Bk69vm9Npsz8m1yP3v+JInsDbDNFyV0bP53p7vdNRVQN7DvhfExK8TcHUXN/Fcfulq/S7HZs/1UP++QzLWhvk',
  'H50/VDUH8nWbfFkrIF84dcg32yDvKb4t6Yq9O0/rOb76YT3HV9GlqPDVTfnngxv7/NiiG3juum2fH9UDTV7CST6PjpyLtD2e57Qx56LYNeNKmHqplPZZdJ2t',
  'a+hO1xGqc6bzinT24iVp9abz0sQp56Suo6ekp5aflC5nH5c2fnJYMggHpS+1B6QF2z+TdBX7pa2nP5amrd0rHZu8W1p8YKc0yvehtGtEu1S5e7N0prpNWnlh',
  'vZTT1irts6ySXEdaQHsR6HpAUwC9WtCqBB0baBRB+3xomwPtxkCbDOApeQwd0G8H9NUB+h2g2QE6YKuFej6UKdm+B8p7ZF8gN0LdCHYTlE3AmYA3QTuo7zSB',
  'DtgOm0AX7BSBfgj0R6BfAjyBcRAYD4FxEWhLYJwExktg3AR0CPgBbVoJ+AXt2gj4CW3bCfgN7XcSiANo7CUQF9DZTyBOoHWAQNxA7zCBOILmSQJxBd1zBOIM',
  '2pcIxB30KTNcBzNcD/PAqk21/SX6fHpCtX9xi7zf6Ov9LPF80jVCPdtF8uH/cf4bPXA++T/nk9nDBtbd7Xo+aRmk2OcMiufmMJH1TPXqfVNukvWck4LvX69Z',
  'ECOzRt01eszd99w7dtz47Pvu1+egQC4KTECBiSgwCQUeQIEHUSAPBR5CgckokI8CD6NAAQoUogCLAhwKGFDAiAImFCAoYEaBIhSwoEAxCkxBgRIUeAQFrCgw',
  'FQV4FJiGAqUoYOuL/bkr7Ubsz6nwfadRnDtvvnvB0x6vz9+0MBAMNS9avGTpsmeWP/vc8y0vvLhi5UsosAoFVqPAGhRYiwIvo0ArCryCAutQ4FUUeA0F1qPA',
  '6yjwBgq8iQIbUGAjCrShwCYUeAsF3kaBd1BgMwq8iwLvocD7KPABCmxBgXYU2IoC21BgOwrsuL7n78TvD/39Tq4vz+s3417T/XwPIQ6/G1c9ieQ0dWen/v6e',
  '1d/fe/r7fc6/jvm6GUAoAAA=',
];

/** 4 × 4 line scan, 16 bit, one subblock: sample 1000 + 10t + x; no metadata. 1,152 bytes. */
export function tinyVector(): Uint8Array {
  return decode(TINY);
}

/**
 * Line scan of two channels, 6 lines of 4 pixels, 16 bit: sample 1000 (c + 1) + 10t + x; metadata, time stamps, an overview
 * and a scan path. 10,304 bytes.
 */
export function miniVector(): Uint8Array {
  return decode(MINI);
}

function decode(lines: readonly string[]): Uint8Array {
  return new Uint8Array(gunzipSync(Buffer.from(lines.join(''), 'base64')));
}
