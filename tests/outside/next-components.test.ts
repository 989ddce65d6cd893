import { beforeAll, expect, test } from 'vitest'
import { NextApplication } from './next-application.ts'

const application = new NextApplication()
const shared = ['package.json', 'store.mjs', 'cache-handler.mjs', 'use-cache-handler.mjs']
const pages = ['app/layout.jsx', 'app/cached', 'app/revalidate']
beforeAll(async () => {
  const asNext = [...shared, ...pages].map((path) => [`next/${path}`, path] as const)
  await application.start(...asNext, ['next-components', ''])
}, 900_000)

const manyRounds = { timeout: 600_000 }
const names = ['cached', 'live', 'remote'] as const

/** Sends the form of a page, as a browser without scripts does; its server action updates a tag. */
async function update(server: number, tag: string): Promise<void> {
  const page = await (await fetch(application.at(server, '/update'))).text()
  const [, action = ''] = /name="(\$ACTION_ID_[0-9a-f]+)"/.exec(page) ?? []
  expect(action, page).not.toBe('')
  const body = new FormData()
  body.set(action, '')
  body.set('tag', tag)
  const response = await fetch(application.at(server, '/update'), { method: 'POST', body })
  expect(response.status).toBe(200)
}

test.each(names)('both processes show the same: %s', async (name) => {
  await application.agreed(`/${name}`)
})

test.each(names)(
  'once a server action has updated a tag, no process shows the old one: %s',
  manyRounds,
  async (name) => {
    for (let round = 0; round < 8; round++) {
      const before = await application.agreed(`/${name}`)
      await update(round % 2, name)
      const other = 1 - (round % 2)
      const after = await application.shown(other, `/${name}`)
      expect(after).not.toBe(before)
      expect(await application.agreed(`/${name}`)).toBe(after)
    }
  },
)

test.each(names)('with a profile a new one comes, and never an error: %s', manyRounds, async (name) => {
  for (let round = 0; round < 4; round++) {
    const before = await application.agreed(`/${name}`)
    await application.revalidate(round % 2, { tag: name, profile: 'max' })
    expect(await application.changed(1 - (round % 2), `/${name}`, before)).toMatch(/^answer/)
    await application.settled(`/${name}`)
  }
})

test('a process that starts shows what the others show', async () => {
  const agreed = () => Promise.all(names.map((name) => application.agreed(`/${name}`)))
  const before = await agreed()
  await application.servers[0]?.stop()
  application.servers[0] = await application.serve()
  expect(await agreed()).toEqual(before)
})
