import { isError } from '@unikv/core/platform'
import type { CellRunner, StudyContext } from '../../study/study.ts'
import type { SweepRecord, SweepSample } from '../sweep/curves.ts'
import { sweep } from '../sweep/sweep.ts'
import { type EvaluationCell, type EvaluationConfig, sweepOf } from './config.ts'

/** A finished cell, or the reason why its store was given up. */
export interface EvaluationRecord {
  readonly cell: EvaluationCell
  readonly sample: SweepSample | null
  readonly failure: string | null
}

/** Sweeps over all candidates; one that fails is left out from then on, and the others go on. */
export class EvaluationRunner implements CellRunner<EvaluationCell, EvaluationRecord> {
  readonly #signal: AbortSignal
  readonly #runner: CellRunner<EvaluationCell, SweepRecord>
  readonly #failed = new Set<string>()

  private constructor(signal: AbortSignal, runner: CellRunner<EvaluationCell, SweepRecord>) {
    this.#signal = signal
    this.#runner = runner
  }

  static async start(context: StudyContext<EvaluationConfig>): Promise<EvaluationRunner> {
    return new EvaluationRunner(context.signal, await sweep.runner(sweepOf(context)))
  }

  async run(cell: EvaluationCell): Promise<EvaluationRecord> {
    if (this.#failed.has(cell.store)) return { cell, sample: null, failure: null }
    try {
      return { failure: null, ...(await this.#runner.run(cell)) }
    } catch (error) {
      this.#signal.throwIfAborted()
      this.#failed.add(cell.store)
      return { cell, sample: null, failure: isError(error) ? error.message : String(error) }
    }
  }

  async finish(): Promise<void> {
    await this.#runner.finish?.()
  }

  async close(): Promise<void> {
    await this.#runner.close?.()
  }
}
