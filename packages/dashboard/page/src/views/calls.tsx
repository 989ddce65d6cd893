import { useState } from 'preact/hooks'
import { useJson } from '../hooks.ts'
import { momentText, timeText } from '../units.ts'

interface Call {
  readonly at: number
  readonly store: string
  readonly operation: string
  readonly items: number
  readonly error?: string
  readonly durationMs: number
}

/** The slowest of the latest calls. */
export function CallsView({ hasMonitor }: { readonly hasMonitor: boolean }) {
  const [again, askAgain] = useState(0)
  const { value: calls, error } = useJson<readonly Call[]>(hasMonitor ? 'api/calls' : undefined, again)
  return (
    <>
      <h1>Slow calls</h1>
      <p class="soft">
        The slowest of the latest 1,000 calls, without keys.{' '}
        <button onClick={() => askAgain(again + 1)}>Look again</button>
      </p>
      {!hasMonitor && (
        <p class="empty">Calls are not counted here. Add monitor: true to the configuration.</p>
      )}
      {error !== undefined && <p class="status">{error.message}</p>}
      {calls?.length === 0 && <p class="empty">No call has come yet.</p>}
      {calls !== undefined && calls.length > 0 && (
        <div class="scroll" tabIndex={0} role="region" aria-label="Slow calls">
          <table class="calls">
            <thead>
              <tr>
                {['took', 'store', 'operation', 'items', 'error', 'began'].map((head) => (
                  <th key={head}>{head}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {calls.map(({ at, store, operation, items, error: code, durationMs }, i) => (
                <tr key={i} class={code === undefined ? undefined : 'wrong'}>
                  <td>{timeText(durationMs)}</td>
                  <th scope="row">{store}</th>
                  <td>{operation}</td>
                  <td>{items}</td>
                  <td>{code ?? ''}</td>
                  <td>{momentText(at)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  )
}
