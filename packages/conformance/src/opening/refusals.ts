import assert from 'node:assert/strict'
import { isStoreError, type StoreError } from '@unikv/core'
import type { OpeningSection } from './opening-case.ts'
import { assertTellsNoSecret, type OpeningFixture } from './opening-fixture.ts'

/** Options that cannot be meant. */
export const refusals: OpeningSection = ({ refused = [] }) => [
  {
    title: 'an option that is not known is refused, with the name that was meant',
    run: async (t) => {
      const options = await t.fresh()
      const odd = refusal(t, { ...options, unheardOf: 1 })
      assert.match(odd.message, /`unheardOf`/, 'the message names the option')
      const [name = ''] = Object.keys(options)
      const misspelt = `${name}${name.at(-1)}`
      const { message } = refusal(t, { ...options, [misspelt]: 1 })
      assert.ok(message.includes(`\`${misspelt}\``), `the message names the option: ${message}`)
      assert.ok(message.includes(`\`${name}\`?`), `the message asks whether ${name} was meant: ${message}`)
    },
  },
  {
    title: 'what is not an object of options is refused',
    run: async (t) => {
      for (const odd of ['text', 42, null]) refusal(t, odd as never)
    },
  },
  ...refused.map(([title, options]) => ({
    title: `${title}: refused in a sentence that tells no secret`,
    run: async (t: OpeningFixture) => {
      refusal(t, options)
    },
  })),
]

/** The error that these options are refused with: a sentence, no secret. */
function refusal(t: OpeningFixture, options: object): StoreError {
  let error: unknown
  try {
    t.make(options)
  } catch (thrown) {
    error = thrown
  }
  assert.ok(error !== undefined, 'the options are refused when the store is made')
  assert.ok(isStoreError(error), `a StoreError is thrown, not an error of another kind`)
  assert.equal(error.code, 'INVALID_CONFIG', error.message)
  assert.match(error.message, /^\S+ \S+ \S.*[^\s:,;]$/s, 'the message is a sentence')
  assertTellsNoSecret(error, 'the error')
  return error
}
