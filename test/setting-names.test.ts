import { expect, test } from 'vitest';
import { strayNames } from '../src/setting-names.ts';
import { settingsSchema } from '../src/settings-schema.ts';

const KNOWN = [
  'SERVICE_URL',
  'SERVICE_RATE_PER_S',
  'SERVICE_TIMEOUT_MS',
  'SERVICE_CONCURRENCY',
  'SERVICE_CLIENT_ID',
  'SERVICE_CLIENT_SECRET',
  'SERVICE_CLIENT_SECRET_FILE',
  'SERVICE_TOKEN_FIELD',
  'SERVICE_TOKEN_LIFETIME_S',
  'ON_UNKNOWN_COMPANY',
  'ON_UNKNOWN_LIMIT',
  'CANARY_REFUSALS',
  'REQUIRED_COLUMNS',
  'MAX_DOCUMENT_MB',
  'REDIS_URL',
  'REDIS_REPLICAS',
  'LIMITLINE_DATA',
  'LIMITLINE_PREFIX',
  'CONSOLE_PORT',
  'HTTP_PROXY',
  'LOG_LEVEL',
];
const inEnvironment = (...environment: string[]) => strayNames({ environment, dotenv: [], known: KNOWN });
const inDotenv = (...dotenv: string[]) => strayNames({ environment: [], dotenv, known: KNOWN });

// Promise: misspelt-setting-stops
test.each([
  ['SERVICE_RATE_PER_SECOND', 'SERVICE_RATE_PER_S'],
  ['SERVICE_RATE', 'SERVICE_RATE_PER_S'],
  ['SERVICE_MAX_RATE', 'SERVICE_RATE_PER_S'],
  ['SERVICE_TIMEOUT', 'SERVICE_TIMEOUT_MS'],
  ['SERVICE_SECRET', 'SERVICE_CLIENT_SECRET'],
  ['SERVICE_CONCURENCY', 'SERVICE_CONCURRENCY'],
  ['SERVICE_URI', 'SERVICE_URL'],
  ['ON_UNKNOWN_LIMITS', 'ON_UNKNOWN_LIMIT'],
  ['CANARY_REFUSAL', 'CANARY_REFUSALS'],
  ['LIMITLINE_DATA_DIR', 'LIMITLINE_DATA'],
  ['REDIS_URI', 'REDIS_URL'],
])('%s is an error unless %s is given', (name, meant) => {
  const fault = `${name} is not a setting of Limitline: did you mean ${meant}? Rename or remove it`;
  expect(inEnvironment(name)).toEqual({ faults: [fault], notices: [] });
  expect(inEnvironment(name, meant).faults).toEqual([]);
});

test('in the environment a setting in small letters is said, unless it is given', () => {
  for (const [name, setting] of [
    ['service_rate_per_s', 'SERVICE_RATE_PER_S'],
    ['Service_Url', 'SERVICE_URL'],
  ] as const) {
    const said = `${name} is not a setting of Limitline and has no effect (the closest one is ${setting})`;
    expect(inEnvironment(name)).toEqual({ faults: [], notices: [said] });
    expect(inEnvironment(name, setting)).toEqual({ faults: [], notices: [] });
  }
  // Other programs have such names, too.
  expect(inEnvironment('http_proxy', 'log_level', 'redis_url', 'service_tags')).toEqual({ faults: [], notices: [] });
});

test('a setting counts as given if its _FILE variant is given', () => {
  expect(inEnvironment('SERVICE_SECRET', 'SERVICE_CLIENT_SECRET_FILE').faults).toEqual([]);
});

// Promise: misspelt-setting-stops
test('an unknown name with a prefix of Limitline gives a notice with the closest setting, and no error', () => {
  const said = 'SERVICE_TAGS is not a setting of Limitline and has no effect (the closest one is SERVICE_URL)';
  expect(inEnvironment('SERVICE_TAGS')).toEqual({ faults: [], notices: [said] });
});

test.each([
  'SERVICE_HOST',
  'SERVICE_PORT',
  'SERVICE_NAME',
  'LIMITLINE_SERVICE_HOST',
  'LIMITLINE_SERVICE_PORT_HTTP',
  'LIMITLINE_PORT',
  'LIMITLINE_PORT_3000_TCP',
  'LIMITLINE_PORT_3000_TCP_ADDR',
  'REDIS_PORT',
  'REDIS_SERVICE_HOST',
  'REDIS_PASSWORD',
  'LIMITLINE_DATA_SERVICE_HOST',
  'REDIS_ENV_REDIS_VERSION',
  'PATH',
  'MY_SERVICE_RATE_PER_S',
])('%s belongs to other programs and is ignored', (name) => {
  expect(inEnvironment(name)).toEqual({ faults: [], notices: [] });
});

test('in the environment a misspelt prefix is said, unless the setting is given', () => {
  const said = 'APROVE_ABOVE is not a setting of Limitline and has no effect (the closest one is APPROVE_ABOVE)';
  const known = ['APPROVE_ABOVE', 'SERVICE_URL'];
  expect(strayNames({ environment: ['APROVE_ABOVE'], dotenv: [], known })).toEqual({ faults: [], notices: [said] });
  for (const environment of [['APROVE_ABOVE', 'APPROVE_ABOVE'], ['DEVICE_URL']]) {
    expect(strayNames({ environment, dotenv: [], known })).toEqual({ faults: [], notices: [] });
  }
});

test('in .env a misspelt prefix is an error too', () => {
  for (const name of ['SERVCE_URL', 'service_url', 'LIMITINE_DATA', 'LOGLEVEL']) {
    expect(inDotenv(name).faults).toHaveLength(1);
    expect(inEnvironment(name).faults).toEqual([]);
  }
  expect(inDotenv('COMPOSE_PROJECT_NAME', 'NODE_ENV', 'FTP_PROXY', 'PORT')).toEqual({ faults: [], notices: [] });
});

// Promise: misspelt-setting-stops
test('a setting of .env that lacks its third letter is an error', () => {
  const known = Object.keys(settingsSchema.shape);
  // Names like those that Kubernetes sets, and those of other programs' proxies, are left alone.
  const checked = known.filter((name) => !/_(?:HOST|PORT|PROXY)$/.test(name));
  expect(checked).toContain('APPROVE_ABOVE');
  for (const name of checked) {
    const without = name.slice(0, 2) + name.slice(3);
    const { faults } = strayNames({ environment: [], dotenv: [without], known });
    expect(faults, without).toEqual([expect.stringContaining(`did you mean ${name}?`)]);
  }
});
