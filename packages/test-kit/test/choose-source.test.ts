import { describe, expect, test } from 'vitest'
import { chooseSource, type SourceFacts } from '../src/install/choose-source.ts'

const everything: SourceFacts = {
  named: true,
  container: true,
  docker: true,
  testcontainers: true,
  nodeMajor: 22,
  binaries: true,
  mayInstall: true,
}
const notNamed: SourceFacts = { ...everything, named: false }

describe('chooseSource', () => {
  test('prefers the server that the environment names over everything', () => {
    expect(chooseSource(everything)).toEqual({ source: 'environment', install: false })
  })

  test('prefers a container over installed programs', () => {
    expect(chooseSource(notNamed)).toEqual({ source: 'docker', install: false })
  })

  test.each<[string, Partial<SourceFacts>]>([
    ['the kind has no container', { container: false }],
    ['no Docker daemon answers', { docker: false }],
    ['testcontainers is not installed', { testcontainers: false }],
    ['Node.js is older than testcontainers needs', { nodeMajor: 20 }],
  ])('uses installed programs where %s', (_, facts) => {
    expect(chooseSource({ ...notNamed, ...facts })).toEqual({ source: 'installed', install: false })
  })

  test('installs the packages where programs are missing and this process may', () => {
    const facts = { ...notNamed, docker: false, binaries: false }
    expect(chooseSource(facts)).toEqual({ source: 'installed', install: true })
  })

  test('finds nothing where programs are missing and this process may not install', () => {
    const facts = { ...notNamed, docker: false, binaries: false, mayInstall: false }
    expect(chooseSource(facts)).toBeUndefined()
  })
})
