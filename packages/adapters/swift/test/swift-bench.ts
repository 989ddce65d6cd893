import { randomBytes } from 'node:crypto'
import { afterEach } from 'vitest'
import { type SwiftAuth, type SwiftOptions, type SwiftStore, swift } from '../src/index.ts'

/** The container that all tests share; each dataset in it has a prefix of its own. */
export const container = 'unikv_tests'

/** A prefix that no other test uses. */
export function freshPrefix(): string {
  return `t_${randomBytes(8).toString('hex')}`
}

/** How to sign in at a server that is named by one URL, with user and key. */
export function authOf(url: string): SwiftAuth {
  const { origin, pathname, username, password } = new URL(url)
  return {
    v1: { url: origin + pathname, user: decodeURIComponent(username), key: decodeURIComponent(password) },
  }
}

/** Call it inside `describe`: a maker of stores over datasets of their own, which are closed after each test. */
export function swiftBench(url: string) {
  const opened: (() => Promise<unknown>)[] = []
  afterEach(async () => {
    for (const close of opened.splice(0).toReversed()) await close()
  })
  return {
    /** A store that is closed after the test. */
    store(options: Partial<SwiftOptions>): SwiftStore<SwiftOptions> {
      const made: SwiftOptions = {
        auth: authOf(url),
        container,
        prefix: freshPrefix(),
        prepare: true,
        ...options,
      }
      const store = swift(made)
      opened.push(() => store.close())
      return store
    },
  }
}
