import { expect, test } from 'vitest'
import { documentStudies, studies } from '../../src/studies/index.ts'

test.each([...studies, ...documentStudies])('$name is listed by its name', async ({ name, load }) => {
  expect((await load()).name).toBe(name)
})
