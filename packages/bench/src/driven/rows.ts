import { eachRun, figures, type OwnRow, type Row, rowsAt, withoutUnits } from '../cube/row.ts'
import type { KindSample } from '../drive/driver.ts'
import { sharesOf } from '../run/machine.ts'
import type { DrivenResult, Latency, RunBesides, RunSample, TargetResult } from './result.ts'
import { rateOf } from './runs.ts'

/** All that runs of driven stores measured: times and numbers of each operation, and the runs themselves. */
export function drivenRows({ targets }: Pick<DrivenResult, 'targets'>): readonly Row[] {
  return targets.flatMap((target) => {
    // An outcome that never came about says nothing.
    const has = (kind: KindSample): boolean =>
      target.operations.some(({ name, outcome }) => name === kind.name && outcome === kind.outcome)
    const runs = target.runs.map((run) => ({ ...run, kinds: run.kinds.filter(has) }))
    return [
      ...(targets.find(({ store }) => store === target.store) === target ? loadRows(target) : []),
      ...runs.flatMap((run) => [...runRows(target, run), ...secondRows(target, run)]),
    ]
  })
}

/** Rates and times second by second. A second without a success has no times, and still is a second. */
function secondRows({ store, phase }: TargetResult, { run, series, open }: RunSample): readonly Row[] {
  let second = 0
  return series.flatMap(({ all, lengthMs }, index) => {
    const asked = open?.targets[index]
    const own: OwnRow[] = [
      { run, measure: 'rate', unit: '1/s', value: (all.operations / lengthMs) * 1_000 },
      ...(all.p99Ms === null
        ? []
        : [{ run, measure: 'service', unit: 'ms', statistic: 'p99', value: all.p99Ms } as const]),
      ...(asked === undefined ? [] : [{ run, measure: 'asked rate', unit: '1/s', value: asked } as const]),
    ]
    return inSeconds(lengthMs).flatMap(() =>
      rowsAt({ store, dimensions: { ...(phase !== null && { phase }), second: second++ } }, own),
    )
  })
}

/** A shorter last interval tells no rate. */
const shortestMs = 100

/** Seconds that a run has in tables over time. */
export function secondsOf({ series }: Pick<RunSample, 'series'>): number {
  return series.flatMap(({ lengthMs }) => inSeconds(lengthMs)).length
}

/** The seconds of an interval: those of a long run last several. */
function inSeconds(lengthMs: number): readonly number[] {
  if (lengthMs < shortestMs) return []
  return Array.from({ length: Math.max(1, Math.round(lengthMs / 1_000)) }, (_, second) => second)
}

function loadRows({ store, load }: TargetResult): readonly Row[] {
  return rowsAt({ store, dimensions: { operation: 'load' } }, [
    { measure: 'records', unit: 'count', value: load.records },
    { measure: 'elapsed', unit: 'ms', value: load.elapsedMs },
  ])
}

function runRows({ store, phase }: TargetResult, sample: RunSample): readonly Row[] {
  const { run, kinds, elapsedMs, countedMs, open } = sample
  const dimensions = phase === null ? {} : { phase }
  const whole: OwnRow[] = [
    { run, measure: 'elapsed', unit: 'ms', value: elapsedMs },
    // Rates are of the operations that ended within this time.
    { run, measure: 'counted', unit: 'ms', value: countedMs },
    ...callRows(sample).map((own) => ({ run, ...own })),
    { run, measure: 'rate', unit: '1/s', value: rateOf(sample) },
    ...(open === null ? [] : [{ run, measure: 'asked rate', unit: '1/s', value: open.targetRate } as const]),
  ]
  return [
    ...rowsAt({ store, dimensions }, whole),
    ...kinds.flatMap((kind) =>
      rowsAt(
        { store, dimensions: { ...dimensions, operation: kind.name } },
        kindRows(kind, countedMs).map((own) => ({ run, ...own })),
      ),
    ),
  ]
}

/** Calls that reached the store, and the work of the machine meanwhile, as far as they are known. */
export function callRows({ calls, lostMs, machine }: Omit<RunBesides, 'run'>): readonly OwnRow[] {
  const shares = machine && sharesOf(machine)
  const known = [
    ['calls', 'count', calls],
    ['lost', 'ms', lostMs],
    ['load average', 'count', machine?.loadAverage],
    ['own processor time', 'ms', machine?.ownMs],
    ['work of others', 'share', shares?.others],
    ['stolen time', 'share', shares?.stolen],
  ] as const
  return known.flatMap(([measure, unit, value]) => (value === undefined ? [] : [{ measure, unit, value }]))
}

/** Failures of all kinds, where their codes were not kept. */
export function failureRows(measure: string, value: number): readonly OwnRow[] {
  return value === 0 ? [] : [{ measure, unit: 'count', value, outcome: 'failure' }]
}

/** Times of several runs whose distributions were not kept: the mean of each run, and figures of all. */
export function latencyRows(measure: string, { meanMs, ...others }: Latency): readonly OwnRow[] {
  return [...eachRun(measure, 'ms', meanMs.runs, 'mean'), ...figures(measure, 'ms', withoutUnits(others))]
}

/** One kind of operation in one run. */
function kindRows(kind: KindSample, countedMs: number): readonly OwnRow[] {
  const { outcome, service, response, late, errorCodes, failed } = kind
  const its = { outcome: outcome ?? 'success' }
  const failures = Object.entries(errorCodes).map(([code, value]): OwnRow => {
    return { outcome: code, measure: 'operations', unit: 'count', value }
  })
  return [
    { ...its, measure: 'service', unit: 'ms', value: service },
    { ...its, measure: 'rate', unit: '1/s', value: rateOf({ countedMs, kinds: [kind] }) },
    ...(response === null ? [] : [{ ...its, measure: 'response', unit: 'ms', value: response } as const]),
    ...(late === 0 ? [] : [{ ...its, measure: 'late', unit: 'count', value: late } as const]),
    ...failures,
    ...(failed === undefined
      ? []
      : [{ outcome: 'failure', measure: 'time of failures', unit: 'ms', value: failed } as const]),
  ]
}
