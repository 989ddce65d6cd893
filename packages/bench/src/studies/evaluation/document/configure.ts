import { dirname, relative, resolve } from 'node:path'
import { wrongAt } from '@unikv/stores/documents'
import { parseDuration } from '../../../driven/given/duration.ts'
import { parseKeyLaw } from '../../../keys/parse-key-law.ts'
import type { Configured } from '../../../study/study.ts'
import { studyConfig } from '../../../study/study-config.ts'
import { parseLengthLaw } from '../../../values/parse-length-law.ts'
import type { SweepConfig } from '../../sweep/config.ts'
import { parseLoad } from '../../sweep/loads.ts'
import { sweep } from '../../sweep/sweep.ts'
import type { Candidate } from '../config.ts'
import { at, atLater } from './at.ts'
import type { EvaluationDocument } from './document.ts'
import { scenariosOf } from './scenarios.ts'

/**
 * The configuration of a document, and sentences for the user about it.
 *
 * @param file - the name of the document; its module lies beside it
 * @param candidates - after they were screened
 * @throws {StoreError} `INVALID_CONFIG`: the place, what was found, and what is right
 */
export async function configured(
  document: EvaluationDocument,
  file: string,
  candidates: readonly Candidate[],
): Promise<Configured> {
  const { name, question = null, seed, timeout, compare } = document
  const shared = {
    ...(seed === undefined ? {} : { seed }),
    ...(timeout === undefined ? {} : { timeoutMs: at(file, 'timeout', () => parseDuration(timeout)) }),
  }
  const swept = await atLater(file, 'workload', async () => sweep.configure?.(sweepFields(document, file)))
  const { config, warnings } = swept as Configured
  const checked: SweepConfig = at(file, 'sweep', () =>
    studyConfig(sweep, { ...(config as object), ...shared }),
  )
  const loads = checked.loads.map((load) => load.name)
  if (compare !== undefined && !loads.includes(compare))
    throw wrongAt(file, 'compare', `there is no load '${compare}'; the loads are ${loads.join(', ')}`)
  return {
    warnings,
    config: {
      name,
      question,
      candidates,
      sweep: checked,
      scenarios: scenariosOf(document, file, checked),
      comparedLoad: candidates.some(({ hasEventual }) => hasEventual) ? (compare ?? loads.at(-1)) : null,
      runs: checked.runs,
      ...shared,
    },
  }
}

/** The fields of `bench sweep`. */
function sweepFields(document: EvaluationDocument, file: string): Record<string, unknown> {
  const { workload = {}, loads, sweep: own = {} } = document
  const { module, preset, records, keys, valueSize, scanLength } = workload
  const { callers, runs, duration, warmup, operations } = own
  const given = {
    workload: module && relative(process.cwd(), resolve(dirname(file), module)),
    preset,
    records,
    keys: keys && at(file, 'workload.keys', () => parseKeyLaw(keys)),
    valueSize: lengthOf(valueSize, file, 'workload.valueSize'),
    scanLength: lengthOf(scanLength, file, 'workload.scanLength'),
    load:
      loads &&
      Object.entries(loads).map(([name, mix]) =>
        at(file, `loads.${name}`, () => parseLoad(`${name}:${mix}`)),
      ),
    over: callers && { field: 'concurrency', values: [...new Set(callers)].sort((a, b) => a - b) },
    runs,
    duration: duration && at(file, 'sweep.duration', () => parseDuration(duration)),
    warmup: warmup && at(file, 'sweep.warmup', () => parseDuration(warmup)),
    operations,
  }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}

function lengthOf(size: string | number | undefined, file: string, place: string): unknown {
  return size === undefined ? undefined : at(file, place, () => parseLengthLaw(String(size)))
}
