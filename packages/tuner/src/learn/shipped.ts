import { gunzipSync } from 'node:zlib'
import { featuresMark, type LessonsState, lessonsStateIn } from './lessons-state.ts'

/*
 * The start of a tuner, unless it is given lessons of its own. It was learned by `unikv tune learn` on the machine, of the
 * stores and on the day that `origin` names, and weighs at most as much as 150 samples.
 */

const origin = {
  at: '2026-11-29T15:17:53.948Z',
  machine: 'linux x64, 2 x AMD EPYC, Node.js 20.20.2',
  stores: ['redis 7.0.15', 'postgres 15.18 (Debian 15.18-0+deb12u1)'],
  samples: 240,
  epochs: 15,
}

/** Other numbers of a store than those of now: then there is nothing to begin from, until it is learned anew. */
const features: string = '3f1d6a7eaeb6'

const classes = ['none', 'add-cache']

/** The tree: JSON, by gzip, in base64. */
const tree = [
  'H4sIAAAAAAACA+1b244cxw39l3kNUeC9yH3Ldyz2QbDGkZGFFKzW8IOgfw9Y3T33kSVHDhK5doCZnualesiqOmz22U+7n/dvXn992e8e',
  'GHav7172H999eH67e8DW+ewlsNu/vHx4+bh7+LT7uN+/3z2II8Lu479e9m/e7h7SGqWTSWi9p8Pu5cNvH3cPj4+PCPgEV+9PcEtCgM2G',
  'rI663TA8mpdKDJ3j0dFNfS8tBVnPpAwVAW66HDJQOzgY4rJw0NVbqXaKg+7l2dKu86tnB9s8nxwaaHM8eCeEbLw6pQTyRj19/R5A1nT7',
  'dlR9evoMu5/e/fL89qWi//hp99v+l3+8e60QU4Y1tyB2UVPKABJtXTUkCZ3cUp5g91IGu4dHVwLp+AS75w8f/rl/+/fX3QNjjYucbmpk',
  'Yf065UZ5zLhaywiVFHSxEP/9lH8p8bfkhylwNhe2mJ/n/dbRorXpn+f57PB0Qm2ZOE19ZfCQsYNOWXTwxrImOqA/wfmpwzQY+VvC+Pg4',
  'MhDCDghqwQjOhutfWRmQsiJYagBrBAKFbApjjioBs0WdAATqfXEARKh4/rd4VEoeGszsQ1NFVhs3vzDZxsCmYgoI2Nw7KDfLxR82y+71',
  'IVgfHY0BG4np0Xp5rQbrl6NrCo7hOkkU2JvJ5ptVSoFw7AgcWlmV8IM1NdUEhN5QDZhpHYUbYdZlY6917OFAIo0OhpaawNG6gnBPBI64',
  'iD1SIAipAzNSRZfzIi7UxZbYZfmg3mmJpbvFrfBzyhL+FKSyY1qjn055N/jK9ctRlRgIlFocwq84ZFxzBJt66jeFnxphGWKIOhA2ZRCS',
  'o3vyiiNZ9NI1g2h5DGNvQrHJJRs6mLkcsmA2MufE4K1TrwCsq/H3Z8YU/nWErAy12jCBO9rJkrnSZPF1v+OuvKweDqKb+92N7YaZl+3G',
  'LMGiaf6B66XmY8Nt6UCsckfNWlLtm2ZNCEip44+fy4lpE9Mmps29fmLaxLSJaRPTJqZNTJvCiWkT06ZwCqfwTxUur602WL+c7CqY9YGI',
  'A40LJl37hqK0VCObVGw8RcB+3NSkVaEChsCpx3JBGwsoaAEn5Z8fgRakvTY2iDxujC1zXHhalR/YkCXz1Ig9hlFS63EnRF8aV7oNB5SG',
  '4LGVYouy6wAFMUi1AEmW8wJJlJZiFzSqugXCvlayQGQd8SY00IYzQLogSjdfRgZzvcKTI1ThWqkBglfhtw7eVPv+b0yreze+qeaHGv6G',
  'cyLyBdu0fgOIZr+4buvUEXS58BqjwJOuy8a5aqdwCr9y3zNkGVsYOTY+3P30uvsZZxvzdxlIs/frgYyFvu9AUziFS4fJFfHsfVW8Jfi6',
  'auf/4/c/fYZTHospNlGKLkVCCeS6k7TGZuQYKSF6ymIxBs8LFoulVbsLiwcTSnqDuGSdjywWy5blXMa7nlBY6BvJKzc4S1e0lfuEpVNi',
  'yyU75ZqvtGleEpMUpJ3zVcaoWl2jvCIjDX5RbK5Pj2vEsLzmrRAnULogsLCCZHp1Jbeu25JfBnZxBOs9oUdYNd+wn5U/5ShxKb+qRqp6',
  'CwRxLe6I/WZFyNBVdDWixShlqwjzdkVYY2FLlF758Bih1aymmITH6rhYPTw0VLKWU2Pxo/3J/OWz2b145yDemmzYnL2DNAw9OGfl0cRz',
  '9DFIsABlUz044easQA1za4cattwi2pBGo1VZoLcQBqYTY+IUIO1NqyytbjX5SdQitBWmKVW1Lmt0D9aVqaXlKYpAlkuIJfNWClhGS7XA',
  'MH1NBvV+L/DoaT56ozFiTrm0lPUYeZReoR+3Zf7Nodc+3HIuvW6pUEbmMfQooxPUCB2k+uAnMWce40X1oM0MiKLRakptDBitk4OQy9de',
  '05T+haUc0Ual2LlmDdnJ0rnS9dzuP5nW+09YO6bXC+967iN7XxYORT2lKvj0P/abGmcfd/hNop64NMw7qvVEZ3RMW9S9buJhwfz4yZ3g',
  'N8Fvgt/c7qd0gt8Evwl+E/wm+E0wmNIJfnNiTOmU/jCl3snTJT57vLRBexQLZePL1L8xF/n1gLwLH/iETeNN5KRo8TJRkAAR9UN9wQ1t',
  'JdNgV/yvxKFlymDO1L9Nj501iY+lYUTVGKEyhB27f22QvjishQmwmRcRvIjJaHa25ZugAKFE0ZwZQVz7RYUlrCtwMAct5Riu/PIiomve',
  'gROOfsGroUOVXlzJvM1+GbiltFJ/QGJjz3jfCDPQkRXvDcu+2VaMx0Ho0bRh0GDnHAJM3sdF5riTSBkEouPlrX4djTa6zSDIb9T5y4p0',
  'LvEpndLvsGWK68LF4WxxvJszzo0jw02/01gu1m+MpR3ze481pVN6R3qPo8N3STr/aYXwPyZ9+vwEuzfPr/uX929e97uH978+P3/+N5Mc',
  '0BpCSAAA',
].join('')

/** The lessons that unikv has from its developers; `undefined`: they are of other numbers. */
export function shipped(): LessonsState | undefined {
  if (features !== featuresMark) return undefined
  const state: unknown = JSON.parse(gunzipSync(Buffer.from(tree, 'base64')).toString())
  return lessonsStateIn('The lessons of unikv', {
    format: 1,
    features,
    classes,
    samples: 3600,
    tree: state,
    origin,
  })
}
