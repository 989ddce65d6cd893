/** Packs every published package and checks the archive as its users would meet it: publint, then attw. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { packageIn, withArchives } from './archives.mjs'
import { packages, root, verdict } from './workspaces.mjs'

/** Resolutions of consumers that ESM-only packages do not serve. */
const ignored = ['node10', 'node16-cjs']

const published = packages()
const problems = []
for (const [{ folder, manifest }, archive] of await packed(published)) {
  const found = [...(await packaging(folder, manifest, archive)), ...(await types(archive))]
  problems.push(...found.map((problem) => `${manifest.name}: ${problem}`))
}
verdict('packages', problems)

/** Each package with the bytes that would be published. */
function packed(all) {
  return withArchives(async (folder) => {
    const files = new Map((await readdir(folder)).map((file) => [packageIn(file), join(folder, file)]))
    return Promise.all(all.map(async (one) => [one, await readFile(files.get(one.manifest.name))]))
  })
}

async function packaging(folder, manifest, { buffer, byteOffset, length }) {
  const tarball = buffer.slice(byteOffset, byteOffset + length)
  const { messages } = await publint({ strict: true, pack: { tarball } })
  const told = messages.map((message) => `publint: ${formatMessage(message, manifest, { color: false })}`)
  return [...told, ...(await page(folder, manifest))]
}

/** Problems of the page in a registry, and of its links. npm packs LICENSE and README.md of a folder without being told. */
async function page(folder, { homepage, bugs, repository }) {
  const license = await readFile(join(root, folder, 'LICENSE'), 'utf8').catch(() => undefined)
  const readme = await readFile(join(root, folder, 'README.md'), 'utf8')
  const links = [...readme.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link)
  const home = 'https://github.com/unikv/unikv'
  return [
    license === (await readFile(join(root, 'LICENSE'), 'utf8')) || 'LICENSE is not that of the repository',
    repository?.directory === folder || `repository.directory is not ${folder}`,
    repository?.url === `git+${home}.git` || 'repository.url is another',
    homepage === `${home}/tree/main/${folder}#readme` || 'homepage is another',
    bugs === `${home}/issues` || 'bugs is another',
    ...links.map((link) => /^([a-z]+:|#)/.test(link) || `README.md: ${link} leads nowhere from a registry`),
  ].filter((problem) => problem !== true)
}

async function types(archive) {
  const analysis = await checkPackage(createPackageFromTarballData(new Uint8Array(archive)))
  if (!analysis.types) return ['attw: the package has no types']
  return analysis.problems
    .filter(({ resolutionKind }) => !ignored.includes(resolutionKind))
    .map((problem) => `attw: ${problem.kind} ${JSON.stringify(problem)}`)
}
