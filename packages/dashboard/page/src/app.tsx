import { useEffect, useState } from 'preact/hooks'
import icon from '../icon.svg?inline'
import { keepToken, type Overview, Refusal } from './api.ts'
import { useJson, useLive, usePlace } from './hooks.ts'
import { BenchmarksView } from './views/benchmarks.tsx'
import { CallsView } from './views/calls.tsx'
import { DataView } from './views/data/data-view.tsx'
import { FactsView } from './views/facts.tsx'
import { PromisesView } from './views/promises.tsx'
import { StoresView } from './views/stores.tsx'
import { TunerView } from './views/tuner.tsx'

const views = {
  stores: 'Stores',
  data: 'Data',
  benchmarks: 'Benchmarks',
  calls: 'Slow calls',
  promises: 'Promises',
  tuner: 'Tuner',
  facts: 'Facts',
} as const

/** The page: its views, by the part of the address behind `#`. */
export function App() {
  const [again, askAgain] = useState(0)
  const { value: overview, error } = useJson<Overview>('api/overview', again)
  const live = useLive(overview?.hasMonitor === true)
  const [named = '', ...rest] = usePlace().split('/').map(decodeURIComponent)
  const shown = shownViews(overview)
  const view = named === '' ? shown[0]?.[0] : named
  // On a phone the names of the views scroll.
  useEffect(
    () =>
      document.querySelector('nav [aria-current]')?.scrollIntoView({ inline: 'center', block: 'nearest' }),
    [view, shown.length],
  )
  if (error instanceof Refusal && error.status === 401) return <SignIn done={() => askAgain(again + 1)} />
  return (
    <>
      <header>
        <a class="name" href="#stores">
          <img src={icon} alt="" width="22" height="22" /> unikv
        </a>
        <nav aria-label="Views">
          {shown.map(([name, title]) => (
            <a key={name} href={`#${name}`} aria-current={name === view ? 'page' : undefined}>
              {title}
            </a>
          ))}
        </nav>
        {overview !== undefined && (
          <span class="who">{overview.mayChange ? 'may change records' : 'records are read-only'}</span>
        )}
      </header>
      {live.isLost && (
        <p class="status" role="status">
          The connection is lost. The page shows the last figures, and tries again.
        </p>
      )}
      <main>
        {error !== undefined && <p class="status">{error.message}</p>}
        {overview === undefined ? (
          error === undefined && <p class="soft">Loading …</p>
        ) : view === 'data' ? (
          <DataView overview={overview} place={rest} />
        ) : view === 'benchmarks' ? (
          <BenchmarksView />
        ) : view === 'calls' ? (
          <CallsView hasMonitor={overview.hasMonitor} />
        ) : view === 'promises' ? (
          <PromisesView />
        ) : view === 'tuner' ? (
          <TunerView hasTuner={overview.hasTuner} />
        ) : view === 'facts' ? (
          <FactsView used={overview.stores.map(({ adapter }) => adapter)} />
        ) : (
          <StoresView overview={overview} live={live} />
        )}
      </main>
    </>
  )
}

/** Those of which there is something to show. */
function shownViews(overview: Overview | undefined): readonly (readonly [string, string])[] {
  const hasStores = overview === undefined || overview.stores.length > 0 || !overview.hasReports
  const isThere: Readonly<Record<string, boolean | undefined>> = {
    benchmarks: overview?.hasReports === true,
    promises: overview?.hasMonitor === true,
    tuner: overview?.hasTuner === true,
    facts: true,
  }
  return Object.entries(views).filter(([name]) => isThere[name] ?? hasStores)
}

function SignIn({ done }: { readonly done: () => void }) {
  const [token, set] = useState('')
  return (
    <main class="sign-in">
      <h1>unikv</h1>
      <p>This page needs a token. The command that started it has printed an address with one.</p>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          keepToken(token)
          done()
        }}
      >
        <label>
          Token
          <input type="password" value={token} onInput={(event) => set(event.currentTarget.value)} required />
        </label>
        <button type="submit">Open</button>
      </form>
    </main>
  )
}
