import { type SwiftAuth, swift } from '@unikv/swift'
import { describeWith, networkRun } from '@unikv/test-kit/vitest'
import { testCacheHits } from './cache-hits.ts'
import { someBytes, testRevalidation } from './revalidation.ts'

describeWith('swift', (url) => {
  const setting = {
    ...networkRun(url),
    store: 'Swift',
    // tempauth names the account as it was asked: so through the proxy.
    open: (to: string) =>
      swift({ auth: authOf(to), container: 'unikv_tests', prefix: 'wire', prepare: true }),
  }
  testRevalidation({ ...setting, url, value: someBytes })
  testCacheHits(setting)
})

/** How to sign in at a server that is named by one URL, with user and key. */
function authOf(url: string): SwiftAuth {
  const { origin, pathname, username, password } = new URL(url)
  return {
    v1: { url: origin + pathname, user: decodeURIComponent(username), key: decodeURIComponent(password) },
  }
}
