import { useState } from 'preact/hooks'
import { type PromiseView, send, type PromisesView as View } from '../api.ts'
import { usePolled } from '../hooks.ts'
import { momentText, numberText, shareText, timeText } from '../units.ts'
import { PromiseForm } from './promise-form.tsx'

type Policy = PromiseView['policy']

/** A list of promises that the server has found right, as text for the configuration. */
interface Draft {
  readonly policies: readonly Policy[]
  readonly text: string
}

/** Promises about stores, whether they hold, and a proposal of other ones. */
export function PromisesView() {
  const { value: view, error } = usePolled<View>('api/promises', 5_000)
  const [draft, setDraft] = useState<Draft>()
  const [failure, setFailure] = useState<Error>()
  /** The promise that is being changed, by its place. */
  const [open, setOpen] = useState<number>()
  const policies = draft?.policies ?? view?.promises.map(({ policy }) => policy) ?? []
  const propose = async (wanted: readonly Policy[]): Promise<void> => {
    try {
      const { text } = await send<{ readonly text: string }>('POST', 'api/promises/check', {
        policies: wanted,
      })
      setDraft({ policies: wanted, text })
      setFailure(undefined)
      setOpen(undefined)
    } catch (cause) {
      setFailure(cause as Error)
    }
  }
  if (error !== undefined && view === undefined) return <p class="status">{error.message}</p>
  if (view === undefined) return <p class="soft">Loading …</p>
  return (
    <>
      <h1>Promises</h1>
      <p class="soft">{sourceText(view)}</p>
      {policies.length === 0 && (
        <p class="empty">
          Nothing is promised. Add a promise below, and put its text into the configuration.
        </p>
      )}
      {policies.length > 0 && (
        <PromiseTable
          policies={policies}
          known={view.promises}
          change={setOpen}
          remove={(place) => void propose(policies.filter((_, i) => i !== place))}
        />
      )}
      <h2>{open === undefined ? 'A new promise' : 'Change a promise'}</h2>
      <PromiseForm
        key={`${open ?? 'new'} ${policies.length}`}
        stores={view.stores}
        policy={open === undefined ? undefined : policies[open]}
        leave={() => setOpen(undefined)}
        done={(policy) =>
          void propose(
            open === undefined
              ? [...policies, policy]
              : policies.map((one, i) => (i === open ? policy : one)),
          )
        }
      />
      {failure !== undefined && (
        <p class="status" role="alert">
          {failure.message}
        </p>
      )}
      {draft !== undefined && (
        <Proposed text={draft.text} isWhole={view.isWhole} leave={() => setDraft(undefined)} />
      )}
    </>
  )
}

interface TableProps {
  readonly policies: readonly Policy[]
  readonly known: readonly PromiseView[]
  readonly change: (place: number) => void
  readonly remove: (place: number) => void
}

function PromiseTable({ policies, known, change, remove }: TableProps) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Promises">
      <table class="promises">
        <thead>
          <tr>
            {['promise', 'state', 'now', 'limit', 'calls', ''].map((head) => (
              <th key={head}>{head}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {policies.map((policy, place) => {
            const now = known.find((one) => JSON.stringify(one.policy) === JSON.stringify(policy))
            const text = promiseText(policy)
            return (
              <tr key={place} class={now?.state === 'broken' ? 'wrong' : undefined}>
                <th scope="row">{text}</th>
                <td>{stateText(now)}</td>
                <td>{now?.found === undefined ? '–' : figureText(policy, now.found)}</td>
                <td>{figureText(policy, limitOf(policy))}</td>
                <td>{now === undefined ? '–' : numberText(now.calls)}</td>
                <td>
                  <span class="actions">
                    <button type="button" aria-label={`Change: ${text}`} onClick={() => change(place)}>
                      Change
                    </button>
                    <button type="button" aria-label={`Remove: ${text}`} onClick={() => remove(place)}>
                      Remove
                    </button>
                  </span>
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

interface ProposedProps {
  readonly text: string
  readonly isWhole: boolean
  readonly leave: () => void
}

function Proposed({ text, isWhole, leave }: ProposedProps) {
  const [copied, setCopied] = useState<string>()
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text)
      setCopied(text)
    } catch {
      // Browsers give the clipboard to pages on TLS and on this machine alone; the text can be selected.
    }
  }
  return (
    <section class="entry" aria-label="Proposal">
      <h2>Proposal for the configuration</h2>
      <p class="note">
        It was checked. Put it under <code>monitor.policies</code>; nothing was written, and the table shows
        the proposal.
      </p>
      {!isWhole && (
        <p class="status">
          There are promises about stores that you may not see. They are not in this text: keep them.
        </p>
      )}
      <pre tabIndex={0} aria-label="Text of the proposal">
        {text}
      </pre>
      <p class="actions">
        <button type="button" onClick={() => void copy()}>
          {copied === text ? 'Copied' : 'Copy'}
        </button>
        <button type="button" onClick={leave}>
          Leave it
        </button>
      </p>
    </section>
  )
}

function sourceText({ processes }: View): string {
  if (processes === undefined) return 'Judged by the calls of this process.'
  if (processes === 0) return 'No process keeps figures now, so nothing can be judged.'
  return `Judged by the last seconds of ${processes} process${processes === 1 ? '' : 'es'}.`
}

function promiseText({
  store,
  operation,
  percentile = 99,
  belowMs,
  maxErrorShare,
  over = '30s',
}: Policy): string {
  if (belowMs !== undefined) return `${percentile} % of ${operation} of ${store}, over ${over}`
  return `${maxErrorShare === undefined ? 'hit rate' : 'errors'} of ${operation} of ${store}, over ${over}`
}

function limitOf({ belowMs, maxErrorShare, minHitRate }: Policy): number {
  return belowMs ?? maxErrorShare ?? minHitRate ?? 0
}

function figureText({ belowMs }: Policy, figure: number): string {
  return belowMs === undefined ? shareText(figure) : timeText(figure)
}

function stateText(now: PromiseView | undefined): string {
  if (now === undefined) return 'proposed'
  if (now.state === 'few calls') return 'too few calls'
  return now.sinceAt === undefined ? now.state : `${now.state} since ${momentText(now.sinceAt)}`
}
