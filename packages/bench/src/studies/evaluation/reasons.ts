import type { Threshold } from '../../driven/thresholds/threshold.ts'
import { formatCallers, formatCount, formatMs, percent } from '../../report/words.ts'
import type { Candidate, EvaluationConfig, Scenario } from './config.ts'
import type { PartOfBest } from './curves.ts'
import type { ScenarioResult, ShapeOf } from './result.ts'

/** The results that speak for and against a candidate. */
export interface Evidence {
  readonly scenarios: readonly ScenarioResult[]
  readonly parts: readonly PartOfBest[]
  readonly shapes: readonly ShapeOf[]
}

/** Why a candidate has its place, in sentences. */
export function reasonsOf(
  config: EvaluationConfig,
  { name }: Candidate,
  { scenarios, parts, shapes }: Evidence,
): string[] {
  const missed = config.scenarios.flatMap((scenario) => {
    const found = scenarios.find((one) => one.scenario === scenario.name)
    return found === undefined || (found.holds && found.isClose !== true) ? [] : [missedText(scenario, found)]
  })
  const count = config.scenarios.length
  const held = scenarios.filter(({ holds }) => holds).length
  const met = count === 0 ? [] : [`It meets ${held} of ${count} ${count === 1 ? 'scenario' : 'scenarios'}.`]
  const rates = parts.map(({ load, part, rate }) => `${load} ${formatCount(rate)}/s (${besideText(part)})`)
  const own = shapes.filter(({ store }) => store === name).map((one) => `${one.load} ${shapeText(one)}`)
  return [
    ...met,
    ...missed,
    `Highest throughput: ${rates.join(', ')}.`,
    ...(own.length === 0 ? [] : [`Over callers, ${own.join('; ')}.`]),
  ]
}

function besideText(part: number): string {
  return part === 1 ? 'the most of all' : `${wholePercent(part)} of the most`
}

/** A share in whole per cent; a small one is not zero. */
export function wholePercent(share: number): string {
  const percent = Math.round(share * 100)
  return percent === 0 && share > 0 ? 'below 1 %' : `${percent} %`
}

function missedText(
  { name, measure, load, callers }: Scenario,
  { found, interval, isClose, missed = 0, refused }: ScenarioResult,
): string {
  if (refused !== undefined) return `It misses “${name}”: ${refused}`
  const at = `with ${formatCallers(callers)} in ${load}`
  if (missed > 0)
    return `It misses “${name}”: ${wholePercent(missed)} of the operations ${at} found no record.`
  if (isClose === true && found !== null && interval !== undefined)
    return `“${name}” is too close to tell: ${figureText(measure, found)} ${at} (95 % interval: ${interval.map((end) => figureText(measure, end)).join(' to ')}), where ${measure.text} is wanted.`
  if (found === null)
    return `It misses “${name}”: too few operations succeeded ${at} to tell ${measure.text}.`
  return `It misses “${name}”: ${figureText(measure, found)} ${at}, where ${measure.text} is wanted.`
}

/** A figure in the unit of its measure. */
export function figureText({ unit }: Pick<Threshold, 'unit'>, found: number): string {
  if (unit === 'ms') return formatMs(found)
  if (unit === 'share') return `${percent(found)} %`
  return unit === 'per-second' ? `${formatCount(found)}/s` : formatCount(found)
}

/** The shape of a curve in words. */
function shapeText({ shape, at }: Pick<ShapeOf, 'shape' | 'at'>): string {
  const place = at === null ? '' : formatCallers(at)
  if (shape === 'linear') return 'is linear'
  if (shape === 'saturation' && at === null) return 'rises by less with each caller'
  if (shape === 'saturation') return `saturates from about ${place} on`
  if (shape === 'inflection') return `falls beyond ${place}`
  return `jumps at ${place}`
}
