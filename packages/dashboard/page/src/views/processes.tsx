import { useEffect, useState } from 'preact/hooks'
import type { ProcessesView } from '../api.ts'
import { bytesText, momentText, numberText, shareText, timeText } from '../units.ts'

type ProcessView = ProcessesView['processes'][number]

/** A process that is gone is shown for so long. */
const goneMs = 600_000

/** Each process that keeps figures, and all of them together. */
export function Processes({ view }: { readonly view: ProcessesView }) {
  const gone = useGone(view)
  const { processes, at } = view
  if (processes.length === 0 && gone.length === 0) return null
  const calls = processes.reduce((sum, { callsPerSecond }) => sum + callsPerSecond, 0)
  return (
    <section aria-label="Processes">
      <h2>Processes</h2>
      <div class="scroll" tabIndex={0} role="region" aria-label="Table of processes">
        <table>
          <thead>
            <tr>
              {['process', 'heard', 'calls a second', 'p99', 'failed', 'event loop busy', 'memory'].map(
                (head) => (
                  <th key={head}>{head}</th>
                ),
              )}
            </tr>
          </thead>
          <tbody>
            {processes.map((one) => (
              <ProcessRow key={one.id} one={one} now={at} />
            ))}
            {gone.map(({ id, name, at: heardAt }) => (
              <tr key={id} class="wrong">
                <th scope="row">{name}</th>
                <td colSpan={6}>gone: last heard at {momentText(heardAt)}</td>
              </tr>
            ))}
            {processes.length > 1 && (
              <tr class="sum">
                <th scope="row">{processes.length} processes together</th>
                <td />
                <td>{numberText(calls)}</td>
                <td colSpan={4} />
              </tr>
            )}
          </tbody>
        </table>
      </div>
    </section>
  )
}

function ProcessRow({ one, now }: { readonly one: ProcessView; readonly now: number }) {
  const { name, at, callsPerSecond, p99Ms, errorShare, load } = one
  const isBusy = load !== undefined && Math.max(load.loopShare, load.heapShare, load.memoryShare) >= 0.9
  return (
    <tr class={isBusy || errorShare > 0 ? 'wrong' : undefined}>
      <th scope="row">{name}</th>
      <td title={momentText(at)}>{numberText(Math.max(0, Math.round((now - at) / 1_000)))} s ago</td>
      <td>{numberText(callsPerSecond)}</td>
      <td>{timeText(p99Ms)}</td>
      <td>{errorShare === 0 ? '–' : shareText(errorShare)}</td>
      <td>{load === undefined ? '–' : shareText(load.loopShare)}</td>
      <td
        title={load && `heap ${bytesText(load.heapBytes)}, ${shareText(load.heapShare)} of what it may have`}
      >
        {load === undefined ? '–' : bytesText(load.memoryBytes)}
      </td>
    </tr>
  )
}

/** Processes that were seen and are not there any more. */
function useGone({ processes, at }: ProcessesView): readonly ProcessView[] {
  const [seen, set] = useState<readonly ProcessView[]>([])
  useEffect(() => {
    set((before) => [
      ...processes,
      ...before.filter((one) => one.at > at - goneMs && !processes.some(({ id }) => id === one.id)),
    ])
  }, [at])
  return seen.filter((one) => !processes.some(({ id }) => id === one.id))
}
