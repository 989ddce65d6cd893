import type { DriveSample, LoopPlan } from '../../../drive/driver.ts'
import { firstRate } from '../../../loop/rate-plan.ts'
import type { Invalidity } from '../../../loop/verdict.ts'
import type { Workload } from '../../../operations/workload.ts'
import type { RunConfig } from '../config.ts'
import type { Phase } from './given-phases.ts'

/** How a store is driven in a phase, or in a run without phases. */
export interface Setting {
  readonly workload: Workload
  readonly loop: LoopPlan
  readonly durationMs: number
  readonly operations: number | null
}

/** The setting of a phase, by its name; `null`: of a run without phases. */
export function settingOf(config: RunConfig, name: string | null): Setting {
  const phase = config.phases.find((one) => one.name === name)
  const { workload, durationMs, operations } = config
  return {
    workload: { ...workload, mix: phase?.mix ?? workload.mix },
    loop: loopOf(config, phase),
    durationMs: phase?.durationMs ?? durationMs,
    operations: phase === undefined ? operations : (phase.operations ?? operations),
  }
}

/** The settings of all phases, or of the run. */
export function settings(config: RunConfig): readonly Setting[] {
  const names = config.phases.length === 0 ? [null] : config.phases.map(({ name }) => name)
  return names.map((name) => settingOf(config, name))
}

/** The workload with the operations of all phases. */
export function wholeWorkload(config: RunConfig): Workload {
  return {
    ...config.workload,
    mix: Object.assign({}, ...settings(config).map(({ workload }) => workload.mix)),
  }
}

/** A warm-up before the runs: as the first phase, with the rate with which it begins. */
export function warmupSetting(config: RunConfig): Setting {
  const setting = settingOf(config, config.phases[0]?.name ?? null)
  const { rate } = setting.loop
  return { ...setting, loop: { ...setting.loop, rate: rate === null ? null : firstRate(rate) } }
}

/** The plain data of the loop alone, for other threads. */
function loopOf(config: RunConfig, phase: Phase | undefined): LoopPlan {
  const { arrivals, maxInFlight, whenFull } = config
  const isClosed = phase !== undefined && phase.concurrency !== null
  const rate = isClosed ? null : (phase?.rate ?? config.rate)
  return { concurrency: phase?.concurrency ?? config.concurrency, rate, arrivals, maxInFlight, whenFull }
}

/** Reasons why the records are not those that a phase should have left. Its times do not matter. */
const spoiling: ReadonlySet<string> = new Set(['worker-lost', 'too-many-errors', 'records-lost'])

/** Faults of phases that are not counted: the next counted one measures the records that they left. */
export class SpoiledPhases {
  readonly #found = new Map<string, Invalidity[]>()

  /** A phase that is not counted has ended. */
  saw(store: string, phase: string, { invalid, firstError }: DriveSample): void {
    const found = invalid.filter(({ reason }) => spoiling.has(reason))
    const cause = firstError === null ? '' : `, the first one with: ${firstError}`
    const told = found.map(({ reason, message }) => {
      const because = reason === 'too-many-errors' ? cause : ''
      return {
        reason,
        message: `in the phase ${phase} before it, which is not counted, ${message}${because}`,
      }
    })
    this.#found.set(store, [...(this.#found.get(store) ?? []), ...told])
  }

  /** The reasons for which the next counted phase is invalid, once. */
  take(store: string): readonly Invalidity[] {
    const found = this.#found.get(store) ?? []
    this.#found.delete(store)
    return found
  }
}
