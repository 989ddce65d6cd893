import { beforeAll, test } from 'vitest'
import { checkMounts } from '../doors/mounts.ts'
import { NextProject } from './next-project.ts'

const project = new NextProject()
let url = ''
beforeAll(async () => {
  const modules = ['@unikv', 'hono', '@hono/node-server', 'jiti', 'yaml', 'zod']
  await project.build({}, modules, [
    ['next/package.json', 'package.json'],
    ['next-mounts', ''],
  ])
  url = (await project.serve()).url
}, 900_000)

test('in Next.js, whose bundle holds the page', { timeout: 600_000 }, async () => {
  // It leads addresses with a slash at the end to those without one.
  await checkMounts(url, { endings: [''] })
})
