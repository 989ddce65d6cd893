import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { errorCodes } from '../src/adapter/index.ts'
import { StoreError } from '../src/index.ts'

const page = readFileSync(new URL('../../../docs/reference/errors.md', import.meta.url), 'utf8')
const sections = page
  .split(/^## /m)
  .slice(1)
  .map((section) => [section.slice(0, section.indexOf('\n')), section] as const)

test('every error code has one heading in the reference, in the same order, and no other has', () => {
  expect(sections.map(([heading]) => heading)).toEqual([...errorCodes])
})

test.each(errorCodes)('%s says when it is raised, whether a retry helps, and what to do', (code) => {
  const section = sections.find(([heading]) => heading === code)?.[1] ?? ''
  expect(section).toContain('**Raised**')
  expect(section).toContain('**What to do:**')
  const retryable = /\*\*Retryable:\*\* (yes|no)\b/.exec(section)?.[1]
  expect(retryable).toBe(new StoreError(code, 'a message').retryable ? 'yes' : 'no')
})
