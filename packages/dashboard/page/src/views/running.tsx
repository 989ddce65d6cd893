import { useEffect, useRef, useState } from 'preact/hooks'
import type { RunningEntry } from '../../../src/reports.ts'
import { ask, queryOf, send } from '../api.ts'
import { useLast } from '../hooks.ts'
import { momentText } from '../units.ts'

interface RunningProps {
  /** Told of a run that was watched and has ended. */
  readonly ended: (name: string) => void
  /** Told at first if no run is under way. */
  readonly none: () => void
}

/** Runs that are under way, and the report of one of them as it grows. */
export function Running({ ended, none }: RunningProps) {
  const { last, isLost } = useLast<{ readonly running: readonly RunningEntry[] }>('api/runs')
  const [watched, watch] = useState<string>()
  const running = last?.running ?? []
  const [only] = running
  const shown = running.find(({ name }) => name === watched)
  useEffect(() => {
    if (last?.running.length === 0) none()
  }, [last === undefined])
  useEffect(() => {
    if (watched === undefined && running.length === 1) watch(only?.name)
    if (watched === undefined || last === undefined || shown !== undefined) return
    watch(undefined)
    ended(watched)
  }, [last])
  if (running.length === 0) return null
  return (
    <section aria-label="Under way">
      <h2>Under way</h2>
      {isLost && (
        <p class="status" role="status">
          The connection is lost. The page shows what was measured until then, and tries again.
        </p>
      )}
      <ul class="runs">
        {running.map((run) => (
          <li key={run.name}>
            <p>
              <strong>{run.name}</strong>{' '}
              <span class="soft">
                {run.study} of {run.stores.join(', ')}, began {momentText(run.at)}
              </span>
            </p>
            {run.name !== watched && (
              <p>
                {run.text}{' '}
                <button type="button" onClick={() => watch(run.name)}>
                  Watch
                </button>
              </p>
            )}
          </li>
        ))}
      </ul>
      {shown !== undefined && <Growing key={shown.name} run={shown} />}
    </section>
  )
}

/** The report of a run: its first part is new each second, the rest after a measurement. */
function Growing({ run: { name, now, version } }: { readonly run: RunningEntry }) {
  const frame = useRef<HTMLIFrameElement>(null)
  const [path, open] = useState<string>()
  const shown = (): Document | null | undefined => frame.current?.contentDocument
  useEffect(() => {
    send<{ readonly path: string }>('POST', 'api/reports', { running: name }).then(
      ({ path: made }) => open(made),
      () => {}, // It has just ended.
    )
  }, [name])
  useEffect(() => {
    const part = shown()?.getElementById('now')
    if (part != null) part.outerHTML = now
  }, [now])
  useEffect(() => {
    if (path === undefined) return
    const replace = async (): Promise<void> => {
      const text = await (await ask(`api/runs/page?${queryOf({ name })}`)).text()
      // In the frame, whose policy lets reports have style.
      const made = shown()?.createRange().createContextualFragment(text)
      for (const part of ['header', '#so-far']) {
        const fresh = made?.querySelector(part)
        if (fresh != null) shown()?.querySelector(part)?.replaceWith(fresh)
      }
    }
    replace().catch(() => {}) // The next measurement, or the end of the run, comes anyway.
  }, [version])
  return path === undefined ? null : (
    <iframe ref={frame} class="report" title={`Report of ${name} so far`} src={path} />
  )
}
