import { useState } from 'preact/hooks'
import { type ActionView, send, type TunerView as View } from '../api.ts'
import { usePolled } from '../hooks.ts'
import { momentText } from '../units.ts'

/** Proposals of the tuner with their reasons, the answers of people, and the effects. */
export function TunerView({ hasTuner }: { readonly hasTuner: boolean }) {
  const [again, askAgain] = useState(0)
  const [said, say] = useState<string>()
  const { value: view, error } = usePolled<View>(hasTuner ? 'api/tuner' : undefined, 10_000, again)
  const proposed = view?.actions.filter(({ state }) => state === 'proposed') ?? []
  const others = view?.actions.filter(({ state }) => state !== 'proposed') ?? []
  const answered = (text: string): void => {
    say(text)
    askAgain(again + 1)
  }
  return (
    <>
      <h1>Tuner</h1>
      <p class="soft">
        It watches the stores and proposes changes. Without a yes it changes nothing.{' '}
        <button onClick={() => askAgain(again + 1)}>Look again</button>
      </p>
      {!hasTuner && (
        <p class="empty">
          No tuner is shown here. Give one to the dashboard: dashboard(manager, {'{ tuner }'}), or keep its
          log: monitor: {'{ keepIn }'}.
        </p>
      )}
      {error !== undefined && <p class="status">{error.message}</p>}
      {said !== undefined && (
        <p class="status" role="status">
          {said}
        </p>
      )}
      {view !== undefined && proposed.length === 0 && (
        <p class="empty">
          Nothing waits for an answer. Something is proposed when a <a href="#promises">promise</a> was broken
          for a while.
        </p>
      )}
      <div class="cards">
        {proposed.map((action) => (
          <Proposal
            key={action.id}
            action={action}
            mayAnswer={view?.mayAnswer === true}
            answered={answered}
          />
        ))}
      </div>
      {others.length > 0 && <h2>History</h2>}
      {others.map((action) => (
        <details key={action.id} class="card">
          <summary>
            {action.title}{' '}
            <span class="soft">
              {action.store} · {stateText(action)}
              {action.effect === undefined ? '' : ` · ${action.effect.split('. ', 1)[0]}`} ·{' '}
              {momentText(action.steps.at(-1)?.at ?? action.at)}
            </span>
          </summary>
          <Reasons action={action} />
        </details>
      ))}
    </>
  )
}

interface ProposalProps {
  readonly action: ActionView
  readonly mayAnswer: boolean
  readonly answered: (text: string) => void
}

/** A proposal that waits for an answer. */
function Proposal({ action, mayAnswer, answered }: ProposalProps) {
  const [failure, setFailure] = useState<Error>()
  const { id, title, store } = action
  const answer = async (name: 'approve' | 'reject'): Promise<void> => {
    try {
      await send('POST', `api/tuner/${encodeURIComponent(id)}/${name}`, {})
      answered(
        name === 'approve'
          ? `Approved: ${title}. The program begins at its next look.`
          : `Rejected: ${title}. It is not proposed again for a week, unless the load changes.`,
      )
    } catch (error) {
      setFailure(error as Error)
    }
  }
  return (
    <section class="card" aria-label={`${title}, ${store}`}>
      <h2>
        {title} <span class="soft">{store}</span>
      </h2>
      <Reasons action={action} />
      {mayAnswer ? (
        <p class="actions">
          <button
            type="button"
            aria-label={`Approve: ${title}, ${store}`}
            onClick={() => void answer('approve')}
          >
            Approve
          </button>
          <button
            type="button"
            class="danger"
            aria-label={`Reject: ${title}, ${store}`}
            onClick={() => void answer('reject')}
          >
            Reject
          </button>
        </p>
      ) : (
        <p class="note">To answer needs the right admin, for all keys of the store.</p>
      )}
      {failure !== undefined && <p class="status">{failure.message}</p>}
    </section>
  )
}

/** The reason, the price, the effect, and each step with its author. */
function Reasons({ action }: { readonly action: ActionView }) {
  const { id, why, cost, effect, state, lapsesAt, steps, explained } = action
  return (
    <>
      <dl>
        <dt>why</dt>
        <dd>{why}</dd>
        <dt>price</dt>
        <dd>{cost}</dd>
        {effect !== undefined && <dt>effect</dt>}
        {effect !== undefined && <dd>{effect}</dd>}
        {state === 'proposed' && <dt>lapses</dt>}
        {state === 'proposed' && <dd>{momentText(lapsesAt)}</dd>}
      </dl>
      <ol class="steps" aria-label="Steps">
        {steps.map(({ at, state: reached, by, note }, i) => (
          <li key={i}>
            {reached} by {by} <span class="soft">{momentText(at)}</span>
            {note !== undefined && `: ${note}`}
          </li>
        ))}
      </ol>
      <details>
        <summary>The whole explanation</summary>
        <pre tabIndex={0} aria-label={`Explanation of ${id}`}>
          {explained.join('\n')}
        </pre>
      </details>
    </>
  )
}

/** The state, and whose answer it was. */
function stateText({ state, steps }: ActionView): string {
  const answer = steps.findLast(({ state: reached }) => reached === 'approved' || reached === 'rejected')
  return answer === undefined || answer.state === state
    ? `${state}${answer === undefined ? '' : ` by ${answer.by}`}`
    : `${state}, ${answer.state} by ${answer.by}`
}
