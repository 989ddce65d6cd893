import { useState } from 'preact/hooks'
import type { FigureChange, ResultFigure, ResultHistory } from '../../../src/reports.ts'
import { queryOf } from '../api.ts'
import { Chart } from '../chart.tsx'
import { useJson } from '../hooks.ts'
import { bytesText, momentText, numberText, shareText, timeText } from '../units.ts'

interface HistoryProps {
  /** Studies of which there are two results or more. */
  readonly studies: readonly string[]
  /** Open the reports of these results, as one page if they are several. */
  readonly open: (names: readonly string[]) => void
}

/** A figure of all results of a study over time, and where it came to another level. */
export function Histories({ studies, open }: HistoryProps) {
  const [isOpen, setOpen] = useState(false)
  const [chosen, choose] = useState<string>()
  const study = chosen ?? studies[0]
  if (study === undefined) return null
  return (
    <details class="card" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Over time</summary>
      {studies.length > 1 && (
        <label class="choice">
          Study
          <select value={study} onChange={(event) => choose(event.currentTarget.value)}>
            {studies.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      )}
      {isOpen && <History key={study} study={study} open={open} />}
    </details>
  )
}

function History({ study, open }: { readonly study: string; readonly open: HistoryProps['open'] }) {
  const { value: history, error } = useJson<ResultHistory>(`api/reports/history?${queryOf({ study })}`)
  const [chosen, choose] = useState<number>()
  if (error !== undefined) return <p class="status">{error.message}</p>
  if (history === undefined) return <p class="soft">Loading …</p>
  const { figures, findings, results } = history
  // One that changed says most.
  const usual = Math.max(
    0,
    figures.findIndex(({ changes }) => changes.length > 0),
  )
  const figure = figures[chosen ?? usual]
  if (figure === undefined) return <p class="empty">These results have no figure in common.</p>
  const text = textOf(figure)
  const times = results.map(({ at }) => at / 1_000)
  return (
    <>
      <label class="choice">
        Figure
        <select value={chosen ?? usual} onChange={(event) => choose(Number(event.currentTarget.value))}>
          {figures.map(({ title, changes }, i) => (
            <option key={title} value={i}>
              {title}
              {changes.length > 0 ? ` (${changes.length} changed)` : ''}
            </option>
          ))}
        </select>
      </label>
      <Chart
        title={figure.unit === '1/s' ? `${figure.title}, a second` : figure.title}
        times={times}
        curves={[{ name: verdictText(figure), color: '--series-0', values: figure.values }]}
        valueText={figure.unit === '1/s' ? numberText : text}
        moments={figure.changes.map(({ at }) => times[at] ?? 0)}
        hasMarks
      />
      <ul class="changes">
        {figure.changes.map((change) => (
          <Change key={change.at} change={change} results={results} text={text} open={open} />
        ))}
      </ul>
      <details>
        <summary>All findings</summary>
        <ul>
          {findings.map((finding) => (
            <li key={finding}>{finding}</li>
          ))}
        </ul>
      </details>
    </>
  )
}

interface ChangeProps {
  readonly change: FigureChange
  readonly results: ResultHistory['results']
  readonly text: (value: number) => string
  readonly open: HistoryProps['open']
}

function Change({ change: { at, before, after, verdict }, results, text, open }: ChangeProps) {
  const [former, first] = [results[at - 1], results[at]]
  if (former === undefined || first === undefined) return null
  return (
    <li>
      <span class={verdict === 'slower' ? 'worse' : 'better'}>
        {verdict === 'slower' ? 'Worse' : 'Better'}
      </span>{' '}
      from {first.name} on ({momentText(first.at)}): {text(before)} before, {text(after)} since.{' '}
      <span class="actions">
        <button type="button" onClick={() => open([former.name])}>
          {former.name}
        </button>
        <button type="button" onClick={() => open([first.name])}>
          {first.name}
        </button>
        <button type="button" onClick={() => open([former.name, first.name])}>
          Compare both
        </button>
      </span>
    </li>
  )
}

function textOf({ unit }: ResultFigure): (value: number) => string {
  if (unit === 'ms') return timeText
  if (unit === 'share') return shareText
  if (unit === 'bytes') return bytesText
  return (value) => `${numberText(value)} ${unit === '1/s' ? 'a second' : unit}`
}

function verdictText({ verdict, changes }: ResultFigure): string {
  if (verdict === 'too-few-results') return 'too few results to tell of changes: 16 are needed'
  if (verdict === 'unclear') return 'so much scatter that a step of a tenth may hide'
  return verdict === 'steady'
    ? 'no change'
    : `${changes.length} ${changes.length === 1 ? 'change' : 'changes'}`
}
