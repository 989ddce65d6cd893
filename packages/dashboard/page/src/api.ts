import type { LevelView } from '../../src/data/skip.ts'
import type { WalkedItem, WalkFrame } from '../../src/data/walk.ts'
import type { EntryView, LayerView } from '../../src/entry.ts'
import type { FiguresNow } from '../../src/figures.ts'
import type { PastPoint } from '../../src/history-view.ts'
import type { Overview } from '../../src/overview.ts'
import type { ProcessesView } from '../../src/processes.ts'
import type { PromisesView, PromiseView } from '../../src/promises.ts'
import type { ActionView, TunerView } from '../../src/tuner-view.ts'

export type {
  ActionView,
  EntryView,
  FiguresNow,
  LayerView,
  LevelView,
  Overview,
  PastPoint,
  ProcessesView,
  PromisesView,
  PromiseView,
  TunerView,
  WalkedItem,
  WalkFrame,
}

/** A refusal of the server, in its words. */
export class Refusal extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

const tokenName = 'unikv-token'

/** The token stands behind `#token=` of the address that the command line prints; it goes into this tab alone, and out of the address. */
export function takeToken(): void {
  const [, token] = /^#token=(.+)$/.exec(location.hash) ?? []
  if (token === undefined) return
  keepToken(decodeURIComponent(token))
  history.replaceState(null, '', location.pathname + location.search)
}

export function keepToken(token: string): void {
  sessionStorage.setItem(tokenName, token)
}

/** The address of a path, seen from where the page is mounted. */
export function addressOf(path: string): URL {
  const { origin, pathname } = location
  return new URL(`${pathname.endsWith('/') ? pathname : `${pathname}/`}${path}`, origin)
}

/** Ask the server. @throws {Refusal} */
export async function ask(path: string, init: RequestInit = {}): Promise<Response> {
  const token = sessionStorage.getItem(tokenName)
  const headers = new Headers(init.headers)
  if (token !== null) headers.set('authorization', `Bearer ${token}`)
  const response = await fetch(addressOf(path), { ...init, headers, cache: 'no-store' })
  if (response.ok) return response
  const { detail } = (await response.json().catch(() => ({}))) as { readonly detail?: string }
  throw new Refusal(response.status, detail ?? `The server answered with status ${response.status}.`)
}

/** Ask for JSON. */
export async function json<T>(path: string, init?: RequestInit): Promise<T> {
  return (await ask(path, init)).json() as Promise<T>
}

/** Send JSON. */
export function send<T>(method: 'PUT' | 'POST', path: string, body: unknown): Promise<T> {
  return json(path, { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } })
}

/** A query without what is not given. */
export function queryOf(
  parameters: Readonly<Record<string, string | number | readonly string[] | undefined>>,
): string {
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    Array.isArray(value) ? value.map((one: string) => [name, one]) : [[name, String(value ?? '')]],
  )
  return new URLSearchParams(given.filter(([, value]) => value !== '')).toString()
}

/** Hear frames of server-sent events until the signal ends it. Rejects when the connection is lost. */
export async function hear(path: string, signal: AbortSignal, told: (frame: unknown) => void): Promise<void> {
  const { body } = await ask(path, { signal })
  const reader = (body as ReadableStream<BufferSource>).pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) throw new Error('The stream has ended.')
    const frames = (rest + value).split('\n\n')
    rest = frames.pop() ?? ''
    for (const frame of frames) if (frame.startsWith('data: ')) told(JSON.parse(frame.slice(6)))
  }
}
