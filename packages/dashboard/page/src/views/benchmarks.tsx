import { useState } from 'preact/hooks'
import type { ReportEntry } from '../../../src/reports.ts'
import { send } from '../api.ts'
import { useJson } from '../hooks.ts'
import { momentText } from '../units.ts'
import { Histories } from './result-history.tsx'
import { Running } from './running.tsx'

/** Results of benchmarks: the page of one, or one page of several. */
export function BenchmarksView() {
  const [again, askAgain] = useState(0)
  const { value: results, error } = useJson<readonly ReportEntry[]>('api/reports', again)
  const [chosen, choose] = useState<readonly string[]>([])
  const [shown, show] = useState<{ readonly title: string; readonly path: string }>()
  const [failure, setFailure] = useState<Error>()
  const open = (names: readonly string[]): void => {
    setFailure(undefined)
    send<{ readonly path: string }>('POST', 'api/reports', { names }).then(
      ({ path }) => show({ title: names.join(', '), path }),
      setFailure,
    )
  }
  const toggle = (name: string): void =>
    choose(chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name])
  const study = results?.find(({ name }) => name === chosen[0])?.study
  if (error !== undefined) return <p class="status">{error.message}</p>
  if (results === undefined) return <p class="soft">Loading …</p>
  return (
    <>
      <h1>Benchmarks</h1>
      <Running
        ended={(name) => {
          askAgain(again + 1)
          open([name])
        }}
        none={() => {
          const [only] = results
          if (only !== undefined && results.length === 1) open([only.name])
        }}
      />
      <Histories studies={oftenMeasured(results)} open={open} />
      {results.length === 0 && (
        <p class="empty">
          There are no results here. Make one:{' '}
          <code>npx unikv bench run --store redis://127.0.0.1 --out results/first</code>
        </p>
      )}
      {results.length > 0 && (
        <div class="scroll" tabIndex={0} role="region" aria-label="Results">
          <table class="results">
            <thead>
              <tr>
                {['compare', 'result', 'study', 'stores', 'began', 'state'].map((head) => (
                  <th key={head}>{head}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {results.map((one) => (
                <tr key={one.name}>
                  <td>
                    <input
                      type="checkbox"
                      aria-label={`Compare ${one.name}`}
                      checked={chosen.includes(one.name)}
                      disabled={study !== undefined && one.study !== study}
                      onChange={() => toggle(one.name)}
                    />
                  </td>
                  <th scope="row">
                    <button type="button" title="Open the report" onClick={() => open([one.name])}>
                      {one.name}
                    </button>
                  </th>
                  <td>{one.study}</td>
                  <td>{one.stores.join(', ')}</td>
                  <td>{momentText(one.at)}</td>
                  <td>{one.status}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <p class="actions">
        <button type="button" disabled={chosen.length < 2} onClick={() => open(chosen)}>
          Compare {chosen.length < 2 ? 'two or more' : chosen.length}
        </button>
        <button type="button" onClick={() => askAgain(again + 1)}>
          Look again
        </button>
      </p>
      {failure !== undefined && <p class="status">{failure.message}</p>}
      {shown !== undefined && <iframe class="report" title={`Report of ${shown.title}`} src={shown.path} />}
    </>
  )
}

/** Studies with several results, that with most of them first. */
function oftenMeasured(results: readonly ReportEntry[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const { study } of results) counts.set(study, (counts.get(study) ?? 0) + 1)
  const often = [...counts].filter(([, count]) => count > 1).sort(([, a], [, b]) => b - a)
  return often.map(([study]) => study)
}
