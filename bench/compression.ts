import { readdirSync, readFileSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import { type Algorithm, compress, decompress } from '@unikv/compression'
import { type Bytes, isPromise } from '@unikv/core'
import { type BudgetLine, budgetRows, repeated } from './measure/micro.ts'
import { printTable, writeResults } from './measure/report.ts'
import { interleaved } from './measure/rounds.ts'

// How long does a value keep the event loop busy, and when does the thread pool take over? The functions of the
// layer over this repository's own sources, at default levels; brotli 4, gzip 6, deflate 6, zstd 3; lz4 and snappy.

const rounds = Number(process.env['ROUNDS'] ?? 5)
const durationMs = Number(process.env['DURATION_MS'] ?? 100)
const sizes = [256, 1024, 4096, 8192, 16_384, 32_768, 65_536, 131_072, 262_144, 1_048_576]
const allowedUs = 200

const text = sources()
const algorithms: readonly Algorithm[] = ['gzip', 'deflate', 'brotli', 'zstd', 'lz4', 'snappy']

/** The cost of one value of this size. */
interface Row {
  readonly algorithm: Algorithm
  readonly size: number
  readonly ratio: number
  readonly compressUs: number
  readonly decompressUs: number
  /** Whether the default options answer at once, and for how long the loop is busy with the value then. */
  readonly compressAtOnce: boolean
  readonly decompressAtOnce: boolean
  readonly compressLoopUs: number
  readonly decompressLoopUs: number
}

async function measure(algorithm: Algorithm, size: number): Promise<Row> {
  const value = text.subarray(0, size)
  const now = { algorithm, threads: false } as const
  const frame = compress(value, now) as Bytes
  const [packed, unpacked] = await interleaved(
    [
      repeated('compress', () => compress(value, now), { durationMs }),
      repeated('decompress', () => decompress(frame, now), { durationMs }),
    ],
    rounds,
  )
  const compressUs = packed?.p50Us as number
  const decompressUs = unpacked?.p50Us as number
  const compressAtOnce = !isPromise(compress(value, { algorithm }))
  const decompressAtOnce = !isPromise(decompress(frame))
  return {
    algorithm,
    size,
    ratio: size / frame.length,
    compressUs,
    decompressUs,
    compressAtOnce,
    decompressAtOnce,
    compressLoopUs: compressAtOnce ? compressUs : await loopUs(async () => compress(value, { algorithm })),
    decompressLoopUs: decompressAtOnce ? decompressUs : await loopUs(async () => decompress(frame)),
  }
}

/**
 * Time that the event loop is busy with one call of the thread pool: start, completion and all copies. The 10th
 * percentile, as the pool competes with the loop for a machine of few cores, and waiting for one counts as busy.
 */
async function loopUs(work: () => Promise<unknown>): Promise<number> {
  const each: number[] = []
  await work()
  for (let i = 0; i < 60; i++) {
    const before = performance.eventLoopUtilization()
    await work()
    each.push(performance.eventLoopUtilization(before).active * 1000)
  }
  return each.toSorted((a, b) => a - b)[each.length / 10] as number
}

const rows: Row[] = []
for (const algorithm of algorithms) for (const size of sizes) rows.push(await measure(algorithm, size))

const way = (atOnce: boolean): string => (atOnce ? 'at once' : 'pool')
printTable(
  `Compression of this repository's sources, Node ${process.version}, medians of ${rounds} interleaved rounds`,
  ['algorithm', 'bytes', 'ratio', 'compress µs', 'way', 'loop µs', 'decompress µs', 'way', 'loop µs'],
  rows.map((row) => [
    row.algorithm,
    String(row.size),
    row.ratio.toFixed(2),
    row.compressUs.toFixed(0),
    way(row.compressAtOnce),
    row.compressLoopUs.toFixed(0),
    row.decompressUs.toFixed(0),
    way(row.decompressAtOnce),
    row.decompressLoopUs.toFixed(0),
  ]),
)

/** The largest value that each way has to take: at once, and (up to 256 KiB, where copying costs little) by the pool. */
const budget: readonly BudgetLine[] = algorithms.flatMap((algorithm) => {
  const own = rows.filter((row) => row.algorithm === algorithm && row.size <= 262_144)
  return [true, false].flatMap((atOnce) => [
    ...line(`${algorithm}: compress, ${way(atOnce)}`, atOnce, own, 'compress'),
    ...line(`${algorithm}: decompress, ${way(atOnce)}`, atOnce, own, 'decompress'),
  ])
})
printTable('Budget', ['what', 'limit', 'measured', 'verdict'], budgetRows(budget))
await writeResults('compression', { rounds, durationMs, rows, budget })

function line(
  what: string,
  atOnce: boolean,
  own: readonly Row[],
  verb: 'compress' | 'decompress',
): readonly BudgetLine[] {
  const last = own.findLast((row) => row[`${verb}AtOnce`] === atOnce)
  if (last === undefined) return []
  const us = last[`${verb}LoopUs`]
  return [
    {
      what: `${what}, ${last.size} B`,
      limit: `≤ ${allowedUs} µs`,
      measured: `${us.toFixed(0)} µs`,
      kept: us <= allowedUs,
    },
  ]
}

/** Sources of core, again and again with changes, to 1 MiB. */
function sources(): Buffer {
  const folder = fileURLToPath(new URL('../../packages/core/src/', import.meta.url))
  const files = readdirSync(folder).filter((name) => name.endsWith('.ts'))
  const once = files.map((name) => readFileSync(folder + name, 'utf8')).join('\n')
  let all = ''
  for (let i = 0; all.length < 1_100_000; i++) all += once.replaceAll('e', String.fromCharCode(97 + (i % 26)))
  return Buffer.from(all).subarray(0, 1_048_576)
}
