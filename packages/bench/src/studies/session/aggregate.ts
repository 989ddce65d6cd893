import type { TargetResult } from '../../driven/result.ts'
import { rateOf, runSampleOf } from '../../driven/runs.ts'
import { averaged, type DrivenRecord, drivenBody } from '../../driven/target-results.ts'
import { workloadLaws } from '../../operations/context.ts'
import type { SessionSample } from '../../session/run/run-sessions.ts'
import type { StudyContext } from '../../study/study.ts'
import type { SessionConfig } from './config.ts'
import { shownEvent, shownMonitor, shownParameters } from './document/shown.ts'
import type { JobResult, SessionBody, SessionRunResult } from './result.ts'
import type { SessionRecord } from './session-runner.ts'

/** Throughput and latencies as of any driven store, and the counts of sessions. */
export function aggregate(
  { config, stores }: StudyContext<SessionConfig>,
  records: readonly SessionRecord[],
): SessionBody {
  const driven = records.map((record): DrivenRecord => drivenRecord(record, config))
  const { targets, thresholds } = drivenBody(stores, [], driven)
  return { targets: targets.map(withoutOthers), thresholds, jobs: jobsOf(config, records) }
}

/** A benchmark has more interactions than one model of it uses. */
function withoutOthers(target: TargetResult): TargetResult {
  const operations = target.operations.filter(({ count, errors }) => count + errors > 0)
  return { ...target, operations }
}

function drivenRecord({ cell, sample, populateMs }: SessionRecord, config: SessionConfig): DrivenRecord {
  const { operations, benchmark } = config
  const load = { records: config.loads === null ? (operations?.records ?? 0) : 0, elapsedMs: populateMs ?? 0 }
  const laws =
    operations === null ? { keyLaw: 'by sessions', lengthLaw: benchmark } : workloadLaws(operations, 0)
  const words = { ...laws, isSteady: null }
  return {
    cell: { ...cell, phase: null },
    loaded: populateMs === null ? null : { ...words, load },
    sample: sample === null ? null : runSampleOf(cell.run, sample.sample),
  }
}

function jobsOf(config: SessionConfig, records: readonly SessionRecord[]): readonly JobResult[] {
  const [first] = records
  if (first === undefined) return []
  const runs = records.flatMap(({ cell, sample, events, monitors }): SessionRunResult[] => {
    if (sample === null) return []
    const { sessions, modes, waits, statistics } = sample
    return [
      {
        run: cell.run,
        sessions,
        modes,
        waits,
        transactions: statistics,
        events: events.map(shownEvent),
        monitors: monitors.map(shownMonitor),
      },
    ]
  })
  return [
    {
      name: config.name,
      parameters: shownParameters(config.parameters),
      control: first.control,
      unit: unitOf(config),
      rate: averaged(records.flatMap(({ sample }) => (sample === null ? [] : rateIn(config, sample)))),
      populateMs: first.populateMs ?? 0,
      runs,
      problems: records.at(-1)?.problems ?? null,
    },
  ]
}

function unitOf({ operations, loads }: SessionConfig): JobResult['unit'] {
  if (loads !== null) return 'records'
  return operations === null ? 'interactions' : 'operations'
}

/** A second of a run in the unit of its job: an operation of a load is a batch of records. */
function rateIn({ operations, loads }: SessionConfig, { sample }: SessionSample): number {
  return rateOf(sample) * (loads === null ? 1 : (operations?.batch ?? 1))
}
