import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Data, sessionMs, User } from '../data.ts'

export async function dataOf(root: string): Promise<Data> {
  const folder = join(root, 'native')
  const place = (kind: string, name: string) => join(folder, kind, encodeURIComponent(name))
  for (const kind of ['users', 'sessions', 'visits']) await mkdir(join(folder, kind), { recursive: true })

  async function read(file: string): Promise<string | undefined> {
    return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined
      throw error
    })
  }

  async function replace(file: string, text: string): Promise<void> {
    const temporary = join(folder, randomUUID())
    await writeFile(temporary, text, { flush: true })
    await rename(temporary, file)
  }

  // One process only: two would count the same visit.
  let turn: Promise<unknown> = Promise.resolve()
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = turn.then(work)
    turn = done.catch(() => {})
    return done
  }

  return {
    async addUser(name, user) {
      try {
        await writeFile(place('users', name), JSON.stringify(user), { flag: 'wx', flush: true })
        return true
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
        throw error
      }
    },
    async user(name) {
      const text = await read(place('users', name))
      return text === undefined ? undefined : User.parse(JSON.parse(text))
    },
    changeMail: (name, mail) =>
      inTurn(async () => {
        const text = await read(place('users', name))
        if (text === undefined) return false
        await replace(place('users', name), JSON.stringify({ ...User.parse(JSON.parse(text)), mail }))
        return true
      }),
    async startSession(id, name) {
      await replace(place('sessions', id), JSON.stringify({ name, until: Date.now() + sessionMs }))
    },
    async session(id) {
      const text = await read(place('sessions', id))
      if (text === undefined) return undefined
      const { name, until } = JSON.parse(text) as { name: string; until: number }
      if (until > Date.now()) return name
      await rm(place('sessions', id), { force: true })
      return undefined
    },
    async endSession(id) {
      await rm(place('sessions', id), { force: true })
    },
    countVisit: (page) =>
      inTurn(async () => {
        const count = Number((await read(place('visits', page))) ?? 0) + 1
        await replace(place('visits', page), String(count))
        return count
      }),
    async visits() {
      const pages = await readdir(join(folder, 'visits'))
      const counts = pages.map(async (page) => [
        decodeURIComponent(page),
        Number(await read(join(folder, 'visits', page))),
      ])
      return Object.fromEntries(await Promise.all(counts))
    },
    close: async () => {},
  }
}
