export default {
  testMatch: ['<rootDir>/*.jest.mjs'],
  moduleFileExtensions: ['mjs', 'js', 'cjs', 'json'],
  transform: {},
  // Of jsdom: drivers are for Node.js, and pg needs what jsdom does not have.
  testEnvironmentOptions: { customExportConditions: ['node', 'node-addons'] },
  setupFiles: ['<rootDir>/jest.setup.mjs'],
}
