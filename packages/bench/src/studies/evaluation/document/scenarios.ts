import { nearest } from '@unikv/core/adapter'
import { wrongAt } from '@unikv/stores/documents'
import { parseThreshold, type Threshold } from '../../../driven/thresholds/threshold.ts'
import { mixOf, tellingStale } from '../../../operations/mix.ts'
import type { SweepConfig } from '../../sweep/config.ts'
import type { Scenario } from '../config.ts'
import type { EvaluationDocument } from './document.ts'
import { at } from './parts.ts'
import type { ScenarioDocument } from './scenario.ts'

/**
 * The scenarios of a document, each of which can be judged by the sweep.
 *
 * @throws {StoreError} `INVALID_CONFIG`: the place, what was found, and what is right
 */
export function scenariosOf(
  { scenarios = {} }: EvaluationDocument,
  file: string,
  sweep: SweepConfig,
): Scenario[] {
  return Object.entries(scenarios).map(([name, given]) => {
    const place = `scenarios.${name}`
    const measure = at(file, `${place}.measure`, () => parseThreshold(given.measure))
    checkPlace(given, file, place, sweep)
    checkMeasure(measure, given, file, place, sweep)
    const { stimulus = null, environment = null, response = null, load, callers, weight = 1 } = given
    return { name, stimulus, environment, response, measure, load, callers, weight }
  })
}

function checkPlace(
  { load, callers }: ScenarioDocument,
  file: string,
  place: string,
  { loads, over }: SweepConfig,
): void {
  const names = loads.map((one) => one.name)
  if (!names.includes(load)) {
    const close = nearest(load, names)
    const hint = close === undefined ? `The loads are ${names.join(', ')}` : `Did you mean '${close}'?`
    throw wrongAt(file, `${place}.load`, `there is no load '${load}'. ${hint}`)
  }
  if (!over.values.includes(callers))
    throw wrongAt(
      file,
      `${place}.callers`,
      `${callers} is not measured. Choose one of ${over.values.join(', ')}, or add it to sweep.callers`,
    )
}

function checkMeasure(
  { operation, metric, text }: Threshold,
  { load }: ScenarioDocument,
  file: string,
  place: string,
  { loads, workload }: SweepConfig,
): void {
  const wrong = (what: string): Error => wrongAt(file, `${place}.measure`, `${text}: ${what}`)
  const done = mixOf(loads.find(({ name }) => name === load) as SweepConfig['loads'][number]).map(
    ([name]) => name,
  )
  if (operation !== null && !done.includes(operation))
    throw wrong(`the load ${load} has no operation '${operation}'; it has ${done.join(', ')}`)
  const asked = operation === null ? done : [operation]
  if (metric === 'stale' && tellingStale(asked, workload.module).length === 0)
    throw wrong(
      `no operation of the load ${load} tells stale reads. A module can have some, with \`tellsStale: true\`, as ehr() of @unikv/bench/engine does`,
    )
  if (metric === 'wrong') throw wrong('a sweep does not compare values; use unikv bench run --check')
}
