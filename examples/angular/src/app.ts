import { Component, CUSTOM_ELEMENTS_SCHEMA, signal } from '@angular/core';
import { provideClientHydration } from '@angular/platform-browser';
import { provideRouter, RouterLink, RouterOutlet } from '@angular/router';

@Component({ imports: [RouterLink], template: '<a routerLink="/thanks">Place the order</a>' })
class Home {}

@Component({
  schemas: [CUSTOM_ELEMENTS_SCHEMA],
  template: `<h1>Thank you for your order</h1>
    <offer-let
      relay="/offers"
      view="THANK_YOU"
      display-mode="INLINE"
      external-guid="customer-42"
      hidden
      [attr.hidden]="order() ? null : ''"
      [attr.order-id]="order()"
    ></offer-let>`,
})
class Thanks {
  readonly order = signal('1001');
}

@Component({ selector: 'app-root', imports: [RouterOutlet], template: '<router-outlet />' })
export class App {}

export const providers = [
  provideRouter([
    { path: '', component: Home },
    { path: 'thanks', component: Thanks },
  ]),
  provideClientHydration(),
];
