import 'offerlet/element';
import { bootstrapApplication } from '@angular/platform-browser';
import { App, providers } from './app';

await bootstrapApplication(App, { providers });
