import { dirname, relative, resolve } from 'node:path'
import { wrongAt } from '@unikv/stores/documents'
import { parseKeyLaw } from '../../../keys/key-law.ts'
import { parseDuration } from '../../../options/forms.ts'
import type { Configured } from '../../../study/study.ts'
import { parseSpeed, studyConfig } from '../../../study/study-config.ts'
import { parseLengthLaw } from '../../../values/parse-length-law.ts'
import type { SweepConfig } from '../../sweep/config.ts'
import { parseLoad } from '../../sweep/loads.ts'
import { sweep } from '../../sweep/sweep.ts'
import { type Candidate, eventualName } from '../config.ts'
import type { EvaluationDocument } from './document.ts'
import { at, atLater } from './parts.ts'
import { pricesOf } from './prices.ts'
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
  const { name, question = null, seed, timeout, compare, delay, bandwidth, prices } = document
  const shared = {
    ...(seed === undefined ? {} : { seed }),
    ...(timeout === undefined ? {} : { timeoutMs: at(file, 'timeout', () => parseDuration(timeout)) }),
  }
  const swept = await atLater(file, 'workload', async () => {
    const [given = {}, sources = {}] = sweepOptions(document, file)
    return sweep.configure?.(given, sources)
  })
  const { config, warnings } = swept as Configured
  const checked: SweepConfig = at(file, 'sweep', () =>
    studyConfig(sweep, { ...(config as object), ...shared }),
  )
  const loads = checked.loads.map((load) => load.name)
  if (compare !== undefined && !loads.includes(compare))
    throw wrongAt(file, 'compare', `there is no load '${compare}'; the loads are ${loads.join(', ')}`)
  const measured = candidates.filter(({ state }) => state === 'measured')
  /** Those that are measured, with their twins; other names are refused. */
  const fartherIn = <T>(place: string, given: Farther, parse: (text: string) => T): unknown => {
    if (typeof given !== 'object') return at(file, place, () => parse(String(given)))
    const unknown = Object.keys(given).find((one) => !Object.hasOwn(document.candidates, one))
    if (unknown !== undefined) throw wrongAt(file, `${place}.${unknown}`, 'there is no such candidate')
    return Object.fromEntries(
      measured.flatMap((candidate) => {
        const own = given[candidate.name]
        if (own === undefined) return []
        const value = at(file, `${place}.${candidate.name}`, () => parse(String(own)))
        const names = [candidate.name, ...(candidate.hasEventual ? [eventualName(candidate)] : [])]
        return names.map((one) => [one, value])
      }),
    )
  }
  return {
    warnings,
    config: {
      name,
      question,
      candidates,
      sweep: checked,
      scenarios: scenariosOf(document, file, checked),
      comparedLoad: candidates.some(({ hasEventual }) => hasEventual) ? (compare ?? loads.at(-1)) : null,
      ...(prices !== undefined && {
        prices: pricesOf(prices, Object.keys(document.candidates), file, checked),
      }),
      runs: checked.runs,
      ...shared,
      ...(delay !== undefined && { delayMs: fartherIn('delay', delay, parseDuration) }),
      ...(bandwidth !== undefined && { mbits: fartherIn('bandwidth', bandwidth, parseSpeed) }),
    },
  }
}

type Farther = NonNullable<EvaluationDocument['delay']>

/** The options of `bench sweep`, and its sources. */
function sweepOptions(document: EvaluationDocument, file: string): readonly Record<string, unknown>[] {
  const { workload = {}, loads, sweep: own = {} } = document
  const { module, preset, records, keys, valueSize, scanLength } = workload
  const { callers, runs, duration, warmup, operations, connections } = own
  const given = {
    workload: defined({
      records,
      keys: keys && at(file, 'workload.keys', () => parseKeyLaw(keys)),
      values: lengthOf(valueSize, file, 'workload.valueSize'),
      scan: lengthOf(scanLength, file, 'workload.scanLength'),
    }),
    loads:
      loads &&
      Object.entries(loads).map(([name, mix]) =>
        at(file, `loads.${name}`, () => parseLoad(`${name}:${mix}`)),
      ),
    over: callers && { field: 'concurrency', values: [...new Set(callers)].sort((a, b) => a - b) },
    runs,
    durationMs: duration && at(file, 'sweep.duration', () => parseDuration(duration)),
    warmupMs: warmup && at(file, 'sweep.warmup', () => parseDuration(warmup)),
    operations,
    connections,
  }
  const path = module && relative(process.cwd(), resolve(dirname(file), module))
  return [defined(given), defined({ workload: path, preset })]
}

function defined(fields: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

function lengthOf(size: string | number | undefined, file: string, place: string): unknown {
  return size === undefined ? undefined : at(file, place, () => parseLengthLaw(String(size)))
}
