import { deflateSync } from 'node:zlib'
import { type DiffOptions, diff, patch } from '@unikv/delta'
import { applyDelta, createDelta } from 'fossil-delta'
import { drawing, type Edited, editPatterns, hostilePatterns } from './measure/edit-patterns.ts'
import { type BudgetLine, budgetRows } from './measure/micro.ts'
import { printTable, writeResults } from './measure/report.ts'
import { type Contestant, interleaved } from './measure/rounds.ts'
import { hasXdelta3, xdelta3 } from './measure/xdelta3.ts'
import { comparedSizes, recordedBytes, recordedSeeds } from './measure/xdelta3-sizes.ts'

// How small are deltas, how fast are they made and applied, and when do they pay? Our diff and patch against
// fossil-delta in turn in one process, against the sizes of xdelta3 -9 without secondary compression (measured if it is
// there, else as recorded), and against deflate of the whole object. Times are of the processor: calls of some
// milliseconds on a machine with other work wait longer than they run.

const rounds = Number(process.env['ROUNDS'] ?? 5)
const durationMs = Number(process.env['DURATION_MS'] ?? 60)
const seed = recordedSeeds[0]
const [small, , , large] = comparedSizes
const unrelated = 'unrelated random'

interface Row {
  readonly pattern: string
  readonly size: number
  readonly bytes: number
  readonly fossilBytes: number
  readonly xdeltaBytes: number
  readonly diffUs: number
  readonly fossilDiffUs: number
  readonly patchUs: number
  readonly fossilPatchUs: number
  /** Deflate, level 6: of the delta and of the whole target; the time of the way through the delta includes diff. */
  readonly deflatedBytes: number
  readonly deflatedWholeBytes: number
  readonly deflatedUs: number
  readonly deflatedWholeUs: number
}

const mbs = (size: number, us: number): number => size / us

/** Microseconds of the processor that a call takes, of all threads, so garbage collection counts. */
function cpuTimed(name: string, work: () => unknown): Contestant {
  return {
    name,
    run: async () => {
      const before = process.cpuUsage()
      let calls = 0
      let spentUs = 0
      while (spentUs < durationMs * 1000) {
        const enough = spentUs === 0 ? 1 : Math.max(1, Math.floor(calls / 4))
        for (let i = 0; i < enough; i++) work()
        calls += enough
        const { user, system } = process.cpuUsage(before)
        spentUs = user + system
      }
      return { opsPerSecond: (1_000_000 * calls) / spentUs, p50Us: spentUs / calls }
    },
  }
}

async function medians(works: readonly (() => unknown)[]): Promise<readonly number[]> {
  const contestants = works.map((work, i) => cpuTimed(String(i), work))
  return (await interleaved(contestants, rounds)).map(({ p50Us }) => p50Us)
}

async function measure(pattern: string, size: number, { base, target }: Edited): Promise<Row> {
  const delta = diff(base, target)
  const fossil = createDelta<Uint8Array>(base, target)
  const recorded = recordedBytes[pattern]?.bytes[0]?.[comparedSizes.indexOf(size as typeof small)] as number
  const [diffUs, fossilDiffUs, patchUs, fossilPatchUs, deflatedUs, deflatedWholeUs] = (await medians([
    () => diff(base, target),
    () => createDelta<Uint8Array>(base, target),
    () => patch(base, delta),
    () => applyDelta<Uint8Array>(base, fossil),
    () => deflateSync(diff(base, target)),
    () => deflateSync(target),
  ])) as [number, number, number, number, number, number]
  return {
    pattern,
    size,
    bytes: delta.length,
    fossilBytes: fossil.length,
    xdeltaBytes: hasXdelta3 ? xdelta3(base, target).bytes : recorded,
    diffUs,
    fossilDiffUs,
    patchUs,
    fossilPatchUs,
    deflatedBytes: deflateSync(delta).length,
    deflatedWholeBytes: deflateSync(target).length,
    deflatedUs,
    deflatedWholeUs,
  }
}

const rows: Row[] = []
for (const size of comparedSizes)
  for (const [pattern, make] of Object.entries(editPatterns))
    rows.push(await measure(pattern, size, make(size, drawing(seed))))

const where = `Node ${process.version}, medians of ${rounds} interleaved rounds, time of the processor`
const speed = (size: number, us: number): string => mbs(size, us).toFixed(0)
printTable(
  `Deltas, ${where}; xdelta3 ${hasXdelta3 ? 'measured' : 'as recorded'}; speeds in MB/s of the target`,
  ['pattern', 'size', 'bytes', 'xdelta3 -9', 'fossil', 'diff µs', 'diff', 'fossil', 'patch', 'fossil'],
  rows.map((row) => [
    row.pattern,
    String(row.size),
    String(row.bytes),
    String(row.xdeltaBytes),
    String(row.fossilBytes),
    row.diffUs.toFixed(1),
    speed(row.size, row.diffUs),
    speed(row.size, row.fossilDiffUs),
    speed(row.size, row.patchUs),
    speed(row.size, row.fossilPatchUs),
  ]),
)
printTable(
  `Delta and deflate against the whole object and deflate, ${where}`,
  [
    'pattern',
    'size',
    'delta',
    'deflated delta',
    'deflated whole',
    'part',
    'diff + deflate µs',
    'deflate whole µs',
  ],
  rows.map((row) => [
    row.pattern,
    String(row.size),
    String(row.bytes),
    String(row.deflatedBytes),
    String(row.deflatedWholeBytes),
    `${((100 * row.deflatedBytes) / row.deflatedWholeBytes).toFixed(1)} %`,
    row.deflatedUs.toFixed(0),
    row.deflatedWholeUs.toFixed(0),
  ]),
)

/** Inputs that are made to be slow, of the largest size and of 10 KiB. */
const hostile: { pattern: string; size: number; bytes: number; diffUs: number; patchUs: number }[] = []
for (const size of [10_240, large])
  for (const [pattern, make] of Object.entries(hostilePatterns)) {
    const { base, target } = make(size, drawing(seed))
    const delta = diff(base, target)
    const [diffUs, patchUs] = (await medians([() => diff(base, target), () => patch(base, delta)])) as [
      number,
      number,
    ]
    hostile.push({ pattern, size: target.length, bytes: delta.length, diffUs, patchUs })
  }
printTable(
  `Hostile inputs, ${where}`,
  ['pattern', 'size', 'bytes', 'diff MB/s', 'patch MB/s'],
  hostile.map(({ pattern, size, bytes, diffUs, patchUs }) => [
    pattern,
    String(size),
    String(bytes),
    speed(size, diffUs),
    speed(size, patchUs),
  ]),
)

/** Windows and steps: bytes, and MB/s. */
const settings: readonly Required<DiffOptions>[] = [
  { windowSize: 5, step: 1 },
  { windowSize: 8, step: 4 },
  { windowSize: 12, step: 6 },
  { windowSize: 16, step: 8 },
  { windowSize: 24, step: 12 },
  { windowSize: 32, step: 16 },
  { windowSize: 64, step: 32 },
]
const windows: { pattern: string; size: number; cells: { bytes: number; diffUs: number }[] }[] = []
for (const size of comparedSizes)
  for (const pattern of ['JSON, 650 inserts and deletes a MiB', 'JSON, block moves of 16 KiB', unrelated]) {
    const { base, target } = (editPatterns[pattern] as (typeof editPatterns)[string])(size, drawing(seed))
    const us = await medians(settings.map((options) => () => diff(base, target, options)))
    const cells = settings.map((options, i) => ({
      bytes: diff(base, target, options).length,
      diffUs: us[i] as number,
    }))
    windows.push({ pattern, size, cells })
  }
printTable(
  `Window and step: bytes / MB/s, ${where}`,
  ['pattern', 'size', ...settings.map(({ windowSize, step }) => `${windowSize}/${step}`)],
  windows.map(({ pattern, size, cells }) => [
    pattern,
    String(size),
    ...cells.map(({ bytes, diffUs }) => `${bytes} / ${speed(size, diffUs)}`),
  ]),
)

/** The slowest of some figures against its limit. */
function slowest(what: string, limit: number, speeds: readonly number[]): BudgetLine {
  const worst = Math.min(...speeds)
  return { what, limit: `≥ ${limit} MB/s`, measured: `${worst.toFixed(0)} MB/s`, kept: worst >= limit }
}

const largest = rows.filter(({ size }) => size === large)
const edits = largest.filter(({ pattern }) => pattern !== unrelated)
const smallEdits = rows.filter(({ size, pattern }) => size === small && pattern !== unrelated)
const longer = rows.filter(({ bytes, xdeltaBytes }) => bytes > xdeltaBytes)
const slowestSmall = Math.max(...smallEdits.map(({ diffUs }) => diffUs))
const budget: readonly BudgetLine[] = [
  slowest(
    'diff, edits of 1 MiB',
    120,
    edits.map(({ size, diffUs }) => mbs(size, diffUs)),
  ),
  slowest(
    'diff, unrelated 1 MiB',
    40,
    largest.filter(({ pattern }) => pattern === unrelated).map(({ size, diffUs }) => mbs(size, diffUs)),
  ),
  slowest(
    'diff, hostile inputs',
    40,
    hostile.map(({ size, diffUs }) => mbs(size, diffUs)),
  ),
  slowest(
    'patch, 1 MiB',
    1000,
    largest.map(({ size, patchUs }) => mbs(size, patchUs)),
  ),
  {
    what: 'diff, edits of 1 KiB',
    limit: '≤ 10 µs',
    measured: `${slowestSmall.toFixed(1)} µs`,
    kept: slowestSmall <= 10,
  },
  {
    what: 'longer than xdelta3 -9',
    limit: 'none',
    measured: `${longer.length} of ${rows.length}`,
    kept: longer.length === 0,
  },
]
printTable('Budget', ['what', 'limit', 'measured', 'verdict'], budgetRows(budget))
await writeResults('delta', { rounds, durationMs, rows, hostile, windows, budget })
