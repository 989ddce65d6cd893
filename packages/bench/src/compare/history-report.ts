import type { ReportTable } from '../report/report-table.ts'
import { listed } from '../report/words.ts'
import { headlineOf } from './comparison-report.ts'
import type { ChangePoint, History, HistoryFigure } from './history.ts'
import { changeText, figureText, hasStores, placeText, valueText } from './measures.ts'

/** A line for each figure: its level at the start and now, and the least step that would be seen. */
export function historyTable(history: History): ReportTable {
  const { results, figures } = history
  return {
    title: `${results.length} results, ${dayOf(history, 0)} to ${dayOf(history, results.length - 1)}`,
    head: ['operation', 'figure', 'at first', 'now', 'changes', 'visible step', 'verdict'],
    names: 2,
    rows: figures.map((one) => {
      const { unit, changes, visible, verdict } = one
      const [first, last] = [levelOf(one, 'before'), levelOf(one, 'after')]
      const shown = (level: number | null): string => (level === null ? '–' : valueText(level, unit))
      return [
        placeText(one, hasStores(history.figures)),
        figureText(one),
        shown(first),
        shown(last),
        String(changes.length),
        visible === null ? '–' : changeText(1 + visible),
        verdict === 'too-few-results' ? 'too few results' : verdict,
      ]
    }),
  }
}

/** Changes, from which result on each is there, and figures that are too noisy to tell. */
export function historyFindings(history: History): readonly string[] {
  const { figures, results, older, differences } = history
  const places = [...new Set(figures.flatMap(({ changes }) => changes.map(({ at }) => at)))].toSorted(
    (a, b) => a - b,
  )
  const few = figures.filter(({ verdict }) => verdict === 'too-few-results')
  const unclear = figures.filter(({ verdict }) => verdict === 'unclear')
  return [
    ...(older > 0
      ? [`The newest ${results.length} results are looked at; ${older} older ones are left out.`]
      : []),
    ...differences.map((difference) => `Not measured alike ${difference}.`),
    ...places.map((at) => sentenceOf(history, at)),
    ...(places.length === 0 && few.length < figures.length ? ['No figure changed.'] : []),
    ...(few.length > 0
      ? [`${results.length} results are too few to find a change: 16 with the same figure are needed.`]
      : []),
    ...(unclear.length > 0 ? [unclearText(unclear, history)] : []),
  ]
}

/** The verdict in a few words: `12 figures: 2 worse since their last change`. */
export function historyHeadline({ figures, results }: History): string {
  const last = (verdict: ChangePoint['verdict']): number =>
    figures.filter(({ changes }) => changes.at(-1)?.verdict === verdict).length
  const count = (verdict: HistoryFigure['verdict']): number =>
    figures.filter((figure) => figure.verdict === verdict).length
  const parts = [
    [last('slower'), 'worse since their last change'],
    [last('faster'), 'better since their last change'],
    [count('unclear'), 'unclear'],
    [count('too-few-results'), 'with too few results'],
  ] as const
  return `${headlineOf(parts, figures.length)}, over ${results.length} results`
}

/** Whether the last change of any figure is for the worse. */
export function hasWorsened({ figures }: History): boolean {
  return figures.some(({ changes }) => changes.at(-1)?.verdict === 'slower')
}

/** Whether no figure has enough results to find a change. */
export function isUnknown({ figures }: History): boolean {
  return figures.every(({ verdict }) => verdict === 'too-few-results')
}

const mostFigures = 6

function listedSome(names: readonly string[]): string {
  const left = names.length - mostFigures
  return listed(left > 0 ? [...names.slice(0, mostFigures), `${left} more`] : names)
}

function sentenceOf(history: History, at: number): string {
  const found = history.figures.flatMap((figure) =>
    figure.changes.filter((change) => change.at === at).map((change) => ({ figure, change })),
  )
  const part = (verdict: ChangePoint['verdict'], word: string): readonly string[] => {
    const own = found.filter(({ change }) => change.verdict === verdict)
    const told = own.map(({ figure, change }) => changeSentence(history, figure, change))
    return own.length === 0 ? [] : [`${word}: ${listedSome(told)}`]
  }
  const parts = [...part('slower', 'worse'), ...part('faster', 'better')]
  return `From ${history.results[at]?.name} (${dayOf(history, at)}) on ${parts.join('; ')}.`
}

function changeSentence(history: History, figure: HistoryFigure, { before, after }: ChangePoint): string {
  const place = placeText(figure, hasStores(history.figures))
  const { unit } = figure
  const change = unit === 'share' ? '' : `${changeText(after / before)}, `
  const name = place === 'all' ? figure.figure : `${place} ${figure.figure}`
  return `${name} (${change}${valueText(before, unit)} to ${valueText(after, unit)})`
}

function unclearText(unclear: readonly HistoryFigure[], history: History): string {
  const names = unclear.map((figure) => {
    const place = placeText(figure, hasStores(history.figures))
    return `${place === 'all' ? '' : `${place} `}${figure.figure} (${changeText(1 + (figure.visible ?? 0))})`
  })
  return `Unclear, as the machine varies too much: a step of a tenth may hide in ${listedSome(names)}. The least step that would be seen stands in brackets.`
}

/** The level before the first change or after the last one; without a change that of all. */
function levelOf({ values, changes, unit }: HistoryFigure, side: 'before' | 'after'): number | null {
  const change = changes.at(side === 'before' ? 0 : -1)
  if (change !== undefined) return change[side]
  const known = values.filter((value) => value !== null)
  if (known.length === 0) return null
  const sum = known.reduce((total, value) => total + (unit === 'share' ? value : Math.log(value)), 0)
  return unit === 'share' ? sum / known.length : Math.exp(sum / known.length)
}

function dayOf({ results }: History, at: number): string {
  return results[at]?.startedAt.slice(0, 10) ?? ''
}
