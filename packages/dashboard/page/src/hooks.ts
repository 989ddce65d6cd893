import { useEffect, useState } from 'preact/hooks'
import { type FiguresNow, hear, json } from './api.ts'

/** An answer: there, not yet, or why not. */
export interface Asked<T> {
  readonly value?: T
  readonly error?: Error
}

/** Ask for JSON once for each path; `undefined` asks nothing. */
export function useJson<T>(path: string | undefined, again = 0): Asked<T> {
  const [asked, set] = useState<Asked<T> & { readonly path?: string }>({})
  useEffect(() => {
    if (path === undefined) return
    const end = new AbortController()
    json<T>(path, { signal: end.signal }).then(
      (value) => set({ path, value }),
      (error: Error) => {
        if (!end.signal.aborted) set({ path, error })
      },
    )
    return () => end.abort()
  }, [path, again])
  return asked.path === path ? asked : {}
}

/** Ask for JSON again and again; the last answer stays while there is no newer one. `undefined` asks nothing. */
export function usePolled<T>(path: string | undefined, everyMs: number, wanted = 0): Asked<T> {
  const [again, askAgain] = useState(0)
  const [last, keep] = useState<T>()
  const { value, error } = useJson<T>(path, again + wanted)
  useEffect(() => {
    if (value !== undefined) keep(value)
    if (path === undefined || (value === undefined && error === undefined)) return
    const next = setTimeout(() => askAgain((count) => count + 1), everyMs)
    return () => clearTimeout(next)
  }, [value, error])
  return { ...(last === undefined ? {} : { value: last }), ...(error === undefined ? {} : { error }) }
}

/** The figures of the last minutes, one a second, and whether the connection is there. */
export interface LiveFigures {
  readonly frames: readonly FiguresNow[]
  readonly isLost: boolean
}

const mostFrames = 301

/** Hear the figures for as long as the page is shown. */
export function useLive(isWanted: boolean): LiveFigures {
  const [frames, set] = useState<readonly FiguresNow[]>([])
  const isLost = useStream(isWanted ? 'api/live' : undefined, (frame) =>
    set((before) => [...before, frame as FiguresNow].slice(-mostFrames)),
  )
  return { frames, isLost }
}

/** The last frame of a stream, and whether the connection is there. */
export function useLast<T>(path: string): { readonly last: T | undefined; readonly isLost: boolean } {
  const [last, set] = useState<T>()
  const isLost = useStream(path, (frame) => set(frame as T))
  return { last, isLost }
}

/** Hear a stream for as long as it is shown; a lost connection is opened again. Whether it is lost now. */
function useStream(path: string | undefined, told: (frame: unknown) => void): boolean {
  const [isLost, set] = useState(false)
  useEffect(() => {
    if (path === undefined) return
    const end = new AbortController()
    const heard = (frame: unknown): void => {
      set(false)
      told(frame)
    }
    const listen = async (): Promise<void> => {
      while (!end.signal.aborted) {
        await hear(path, end.signal, heard).catch(() => {})
        if (end.signal.aborted) return
        set(true)
        await new Promise((resolve) => setTimeout(resolve, 2_000))
      }
    }
    void listen()
    return () => end.abort()
  }, [path])
  return isLost
}

/** The part of the address behind `#`, which names the view. */
export function usePlace(): string {
  const [place, set] = useState(location.hash.slice(1))
  useEffect(() => {
    const moved = (): void => set(location.hash.slice(1))
    addEventListener('hashchange', moved)
    return () => removeEventListener('hashchange', moved)
  }, [])
  return place
}
