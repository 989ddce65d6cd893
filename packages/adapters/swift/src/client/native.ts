import { callOptions } from '@unikv/core/adapter'
import { performance } from '@unikv/core/platform'
import type { SwiftAccount } from './account.ts'

/** Longest time that signing in may take. */
const sessionTimeoutMs = 10_000

/** `native` of the store: there is no driver, so it is `fetch` with address and token of the account. */
export interface SwiftNative {
  /** A request to a path below the account, such as `/container/object`, escaped. */
  fetch(path: string, init?: RequestInit): Promise<Response>
}

/** `fetch` by the account. */
export function nativeOf(account: SwiftAccount): SwiftNative {
  return Object.freeze<SwiftNative>({
    async fetch(path, init) {
      const call = callOptions({ deadlineAt: performance.now() + sessionTimeoutMs })
      const { storageUrl, token } = await account.session(call)
      const headers = new Headers(init?.headers)
      headers.set('x-auth-token', token)
      return fetch(storageUrl.href.replace(/\/$/, '') + path, { ...init, headers })
    },
  })
}
